#include "cases.hpp"
#include "softmax_reference.hpp"
#include <devq/ops/softmax.hpp>
#include <fmt/format.h>

namespace devq::conformance {

Case softmax_case(DType type, const std::string& shape, const Layout& out, const Layout& in, int axis, Values values) {
    const auto along = static_cast<std::size_t>(axis < 0 ? axis + in.sizes.rank() : axis);
    return {"softmax", std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(type, out);
                run.ran(ops::softmax(run.queue(), y.view(), x.view(), axis));
                SoftmaxRows rows(x, along);
                run.judge(y, [&](const Index& i, std::int64_t) { return rows.probability(i); });
            }};
}

void add_softmax_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        const auto same = [&](const Layout& layout, int axis, Values values = Values::moderate, const char* note = "") {
            cases.push_back(softmax_case(type, fmt::format("{} axis {}{}", layout.text(), axis, note), layout, layout,
                                         axis, values));
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
        cases.push_back(
            softmax_case(type, "21x35 in t01 axis 1", packed({21, 35}), swapped({21, 35}, 0, 1), 1, Values::moderate));
        cases.push_back(softmax_case(type, "21x35 out t01 in gap1 axis 1", swapped({21, 35}, 0, 1), gapped({21, 35}, 1),
                                     1, Values::moderate));
        cases.push_back(
            softmax_case(type, "9x35 in rep0 axis 1", packed({9, 35}), repeated({9, 35}, 1), 1, Values::moderate));
        cases.push_back({"softmax", std::string(to_string(type)), "23x37 in place axis 1", [=](Run& run) {
                             const Operand& x = run.in_place(type, gapped({23, 37}, 3), Values::moderate);
                             run.ran(ops::softmax(run.queue(), x.view(), x.view(), 1));
                             SoftmaxRows rows(x, 1);
                             run.judge(x, [&](const Index& i, std::int64_t) { return rows.probability(i); });
                         }});
    }
}

} // namespace devq::conformance
