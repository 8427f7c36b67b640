#include "bounds.hpp"
#include "softmax_reference.hpp"
#include "suite.hpp"
#include <devq/ops/softmax.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    Layout out, in;
    int axis = -1;
    Values values = Values::moderate;
    std::string text;
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const int rank = s.in.sizes.rank();
    const auto axis = static_cast<std::size_t>(s.axis < 0 ? s.axis + rank : s.axis);
    cases.push_back({"softmax", std::string(to_string(type)), s.text, [=](Run& run) {
                         const Operand& x = run.input(type, s.in, s.values);
                         const Operand& y = run.output(type, s.out);
                         run.ran(ops::softmax(run.queue(), y.view(), x.view(), s.axis));
                         SoftmaxRows rows(x, axis);
                         run.judge(y, [&](const Index& i, std::int64_t) { return rows.probability(i); });
                     }});
}

} // namespace

void add_softmax_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto same = [&](const Layout& layout, int axis, Values values = Values::moderate, const char* note = "") {
            add(cases, type, {layout, layout, axis, values, fmt::format("{} axis {}{}", layout.text(), axis, note)});
        };
        same(packed({33, 10}), -1);
        same(packed({7, 1000}), -1);
        same(packed({3, 5003}), 1);
        same(packed({257, 3}), -1);
        same(packed({65, 1}), 1);
        same(packed({1}), 0);
        same(packed({1000}), 0);
        same(packed({0, 7}), -1);
        same(packed({7, 0}), -1);
        same(packed({33, 19}), 0);
        same(packed({5, 31, 17}), 1);
        same(packed({2, 3, 1, 2, 5, 2, 3, 2}), 4);
        same(packed({40, 64}), -1, Values::wide, " wide");
        same(packed({64, 29}), -1, Values::risky, " inf denormal");
        same(packed({29, 64}), 0, Values::risky, " inf denormal");
        same(packed({64, 29}), -1, Values::special, " special");
        same(packed({5, 33}), -1, Values::minus_infinity, " -inf");
        same(packed({5, 33}), -1, Values::equal, " equal");
        same(packed({20, 17}), -1, Values::huge, " huge");
        same(shifted(gapped({21, 35}, 3), 1), -1);
        same(stepped({13, 37}, 2), -1);
        add(cases, type, {packed({21, 35}), swapped({21, 35}, 0, 1), 1, Values::moderate, "21x35 in t01 axis 1"});
        add(cases, type,
            {swapped({21, 35}, 0, 1), gapped({21, 35}, 1), 1, Values::moderate, "21x35 out t01 in gap1 axis 1"});
        add(cases, type, {packed({9, 35}), repeated({9, 35}, 1), 1, Values::moderate, "9x35 in rep0 axis 1"});
        cases.push_back({"softmax", std::string(to_string(type)), "23x37 in place axis 1", [=](Run& run) {
                             const Operand& x = run.in_place(type, gapped({23, 37}, 3), Values::moderate);
                             run.ran(ops::softmax(run.queue(), x.view(), x.view(), 1));
                             SoftmaxRows rows(x, 1);
                             run.judge(x, [&](const Index& i, std::int64_t) { return rows.probability(i); });
                         }});
    }
}

} // namespace devq::conformance
