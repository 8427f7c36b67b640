#include "bounds.hpp"
#include "cases.hpp"
#include <cmath>
#include <devq/ops/scatter.hpp>
#include <fmt/format.h>
#include <map>

namespace devq::conformance {

namespace {

/// What has come to one place.
struct Sum {
    double sum = 0, terms = 0;
    std::int64_t count = 0, whole = 0;

    void add(double value) {
        sum += value;
        terms += std::fabs(value);
        whole += std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
        count++;
    }
    /// Of as many additions as there are terms, less one.
    Expected expected(DType type) const {
        if (!is_floating(type)) // modulo 2^32
            return Expected::exactly(static_cast<std::int32_t>(static_cast<std::uint32_t>(whole)));
        return {sum, std::isfinite(sum) && count > 1 ? gamma(static_cast<double>(count - 1)) * terms : 0};
    }
};

/// special: NaN among what `risky` gives; the largest numbers' sums depend on their order.
double number(Run& run, DType type, Values values) {
    if (values == Values::special)
        return run.random().one_in(40) ? NAN : draw(run.random(), Values::risky, type);
    if (is_floating(type))
        return draw(run.random(), values, type);
    return static_cast<double>(run.random().below(std::int64_t{1} << 32)) - 0x1p31;
}

/// Few of them often, some outside.
double some_index(Run& run, std::int64_t available, bool outside) {
    if (available == 0)
        return 0;
    if (outside && run.random().one_in(6))
        return static_cast<double>(run.random().one_in(2) ? -1 - run.random().below(3) : available);
    const std::int64_t few = std::max<std::int64_t>(available / 8, 1);
    return static_cast<double>(run.random().below(run.random().one_in(3) ? few : available));
}

struct Shape {
    Layout out, in, indices;
    int axis = 0;
    bool outside = false;
    Values values = Values::wide;
    const char* note = "";
};

void add_scatter(std::vector<Case>& cases, DType type, const Shape& s) {
    const std::string shape = fmt::format("{} of {} by {} axis {}{}{}", s.out.text(), s.in.text(), s.indices.text(),
                                          s.axis, s.outside ? " outside" : "", s.note);
    cases.push_back(
        {"scatter_add", std::string(to_string(type)), shape, [=](Run& run) {
             const int rank = s.out.sizes.rank();
             const auto along = static_cast<std::size_t>(s.axis < 0 ? s.axis + rank : s.axis);
             const std::int64_t available = s.out.sizes[static_cast<int>(along)];
             const Operand& out = run.in_place(
                 type, s.out, [&](const Index&) { return number(run, type, s.values); }, "out");
             const Operand& x = run.input(type, s.in, [&](const Index&) { return number(run, type, s.values); });
             const Operand& indices = run.input(
                 DType::i32, s.indices, [&](const Index&) { return some_index(run, available, s.outside); }, "indices");
             run.ran(ops::scatter_add(run.queue(), out.view(), x.view(), indices.view(), s.axis));
             std::map<Index, Sum> sums;
             for_each_index(s.out.sizes, [&](const Index& i, std::int64_t) { sums[i].add(out(i)); });
             for_each_index(s.in.sizes, [&](const Index& i, std::int64_t) {
                 const double index = indices(broadcast_index(i, rank, s.indices.sizes));
                 Index to = i;
                 to[along] = static_cast<std::int64_t>(index);
                 if (index >= 0 && to[along] < available)
                     sums[to].add(x(i));
             });
             run.judge(out, [&](const Index& i, std::int64_t) { return sums[i].expected(type); });
         }});
}

struct Embedding {
    Layout table, indices, gradient;
    ops::EmbeddingBackwardOptions options = {};
    bool outside = false;
    Values values = Values::wide;
    const char* note = "";
};

void add_embedding(std::vector<Case>& cases, DType type, const Embedding& s) {
    const std::string shape =
        fmt::format("{} of {} by {}{}{}{}{}", s.table.text(), s.gradient.text(), s.indices.text(),
                    s.options.accumulate ? " accumulates" : "", s.options.padding >= 0 ? " padding" : "",
                    s.outside ? " outside" : "", s.note);
    cases.push_back(
        {"embedding_backward", std::string(to_string(type)), shape, [=](Run& run) {
             const auto value = [&](const Index&) { return number(run, type, s.values); };
             const Operand& x = run.input(type, s.gradient, value, "gradient");
             const std::int64_t available = s.table.sizes[0];
             const Operand& indices = run.input(
                 DType::i32, s.indices, [&](const Index&) { return some_index(run, available, s.outside); }, "indices");
             const Operand& table = s.options.accumulate ? run.in_place(type, s.table, value, "table gradient")
                                                         : run.output(type, s.table, "table gradient");
             run.ran(ops::embedding_backward(run.queue(), table.view(), x.view(), indices.view(), s.options));
             std::map<Index, Sum> sums;
             if (s.options.accumulate)
                 for_each_index(s.table.sizes, [&](const Index& i, std::int64_t) { sums[i].add(table(i)); });
             for_each_index(s.gradient.sizes, [&](const Index& i, std::int64_t) {
                 const auto last = static_cast<std::size_t>(s.indices.sizes.rank());
                 Index at = i;
                 at[last] = 0;
                 const auto row = static_cast<std::int64_t>(indices(at));
                 if (row >= 0 && row < available && row != s.options.padding)
                     sums[{row, i[last]}].add(x(i));
             });
             run.judge(table, [&](const Index& i, std::int64_t) { return sums[i].expected(type); });
         }});
}

} // namespace

void add_scatter_cases(std::vector<Case>& cases) {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i32}) {
        const auto scatter = [&](const Shape& s) { add_scatter(cases, type, s); };
        // An index for each term, then lists of indices for many of them.
        scatter({packed({7, 5}), packed({7, 20}), packed({7, 20}), 1});
        scatter({packed({33, 17}), packed({33, 40}), packed({33, 40}), 1});
        scatter({packed({7, 65}), packed({50, 65}), packed({50, 65}), 0, true});
        scatter({packed({5, 11, 3}), packed({5, 300, 3}), packed({5, 300, 3}), 1, true});
        scatter({packed({100}), packed({3000}), packed({3000}), -1});
        scatter({packed({1}), packed({1000}), packed({1000}), 0});
        scatter({packed({5000}), packed({3}), packed({3}), 0});
        scatter(
            {packed({2, 3, 4, 2, 1, 3, 2, 2}), packed({2, 3, 9, 2, 1, 3, 2, 2}), packed({2, 3, 9, 2, 1, 3, 2, 2}), 2});
        scatter({packed({5, 9, 33}), packed({5, 40, 33}), packed({40, 1}), 1, true});
        scatter({packed({9, 1100}), packed({40, 1100}), packed({40, 1}), 0});
        scatter({packed({3, 9, 4, 20}), packed({3, 30, 4, 20}), packed({30, 4, 1}), 1});
        scatter({packed({33, 9}), packed({33, 20}), packed({1}), -1});
        scatter({packed({6, 9, 5}), packed({6, 50, 5}), packed({50, 1}), 1});
        scatter({packed({4, 0, 3}), packed({4, 5, 3}), packed({5, 1}), 1});
        scatter({packed({4, 5, 3}), packed({4, 0, 3}), packed({0, 1}), 1});
        scatter({shifted(gapped({21, 35}, 3), 1), swapped({21, 50}, 0, 1), gapped({21, 50}, 1), 1});
        scatter({swapped({21, 35}, 0, 1), stepped({40, 35}, 2), repeated({40, 35}, 2), 0, true});
        if (is_floating(type)) {
            scatter({packed({31, 37}), packed({31, 64}), packed({31, 64}), 1, false, Values::risky, " inf denormal"});
            scatter({packed({31, 37}), packed({64, 37}), packed({64, 1}), 0, false, Values::special, " special"});
        }
        const auto embedding = [&](const Embedding& s) { add_embedding(cases, type, s); };
        embedding({packed({50, 64}), packed({7, 11}), packed({7, 11, 64}), {}, true});
        embedding({packed({50, 64}), packed({7, 110}), packed({7, 110, 64}), {.accumulate = true}});
        embedding({packed({10, 33}), packed({300}), packed({300, 33}), {.padding = 1}});
        embedding({packed({10, 3}), packed({4, 5, 6}), packed({4, 5, 6, 3}), {.accumulate = true, .padding = 0}, true});
        embedding({packed({9, 1000}), packed({40}), packed({40, 1000})});
        embedding({packed({1, 40}), packed({2000}), packed({2000, 40}), {}, false, Values::unit});
        embedding({shifted(gapped({9, 33}, 7), 1), stepped({40}, 3), gapped({40, 33}, 2)});
        embedding({swapped({9, 33}, 0, 1), packed({6, 5}), swapped({6, 5, 33}, 0, 2), {}, true});
        embedding({packed({9, 5}), packed({}), packed({5})});
        embedding({packed({9, 5}), packed({3, 0}), packed({3, 0, 5})});
        embedding({packed({0, 5}), packed({3}), packed({3, 5})});
        if (is_floating(type))
            embedding({packed({20, 30}), packed({90}), packed({90, 30}), {}, false, Values::risky, " inf denormal"});
    }
}

} // namespace devq::conformance
