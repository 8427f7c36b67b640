#include "bounds.hpp"
#include "cases.hpp"
#include <cmath>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

using ops::Reduction;

/// The layout without `axis`.
Layout without(const Layout& in, int axis) {
    std::int64_t kept[max_rank];
    std::size_t count = 0;
    for (int i = 0; i < in.sizes.rank(); ++i)
        if (i != axis)
            kept[count++] = in.sizes[i];
    return packed(Dims(std::span<const std::int64_t>(kept, count)));
}

Expected expect(Reduction op, const Operand& x, Index at, std::size_t axis) {
    const std::int64_t k = x.sizes()[static_cast<int>(axis)];
    double sum = 0, terms = 0, max = -INFINITY, best = 0;
    bool found_nan = false;
    for (std::int64_t i = 0; i < k; ++i) {
        at[axis] = i;
        const double value = x(at);
        sum += value;
        terms += std::fabs(value);
        if (found_nan)
            continue;
        found_nan = std::isnan(value);
        if (i == 0 || found_nan || value > max) {
            max = value;
            best = static_cast<double>(i);
        }
    }
    const auto rounded = [](double reference, double arithmetic) {
        return Expected{reference, std::isfinite(reference) ? arithmetic : 0};
    };
    switch (op) {
    case Reduction::sum:
        return rounded(sum, k > 0 ? gamma(static_cast<double>(k - 1)) * terms : 0);
    case Reduction::mean: // a division costs 2.5 ulp; a multiplication by 1/k, itself rounded, is within it
        return rounded(sum / static_cast<double>(k),
                       gamma(static_cast<double>(k - 1) + roundings_of("divide")) * terms / static_cast<double>(k));
    case Reduction::max:
        return {max};
    case Reduction::argmax:
        return {best};
    }
    return {};
}

/// Where an axis named in `axis` goes among the output's indices: the others close ranks.
Index spread(const Index& out, std::size_t axis) {
    Index in{};
    for (std::size_t i = 0, o = 0; i < in.size(); ++i)
        if (i != axis)
            in[i] = out[o++];
    return in;
}

void add(std::vector<Case>& cases, Reduction op, DType type, const Layout& in, int axis, Values values,
         const std::string& note = {}, const std::optional<Layout>& out = {}) {
    const Layout result = out ? *out : without(in, axis < 0 ? axis + in.sizes.rank() : axis);
    cases.push_back(
        reduce_case(op, type, fmt::format("{} axis {}{}", in.text(), axis, note), result, in, axis, values));
}

/// Sums whose terms cancel: x and -x far apart, and little left.
void add_cancellation(std::vector<Case>& cases, Reduction op, DType type) {
    cases.push_back({"reduce_" + std::string(ops::to_string(op)), std::string(to_string(type)), "6x1001 axis 1 cancels",
                     [=](Run& run) {
                         std::vector<double> row(1001);
                         const Operand& x = run.input(type, packed({6, 1001}), [&](const Index& i) {
                             const auto column = static_cast<std::size_t>(i[1]);
                             if (column < 500)
                                 return row[column] = draw(run.random(), Values::wide, type);
                             return column < 1000 ? -row[999 - column] : 0.0625;
                         });
                         const Operand& y = run.output(type, packed({6}));
                         run.ran(ops::reduce(run.queue(), op, y.view(), x.view(), 1));
                         run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, x, {i[0], 0}, 1); });
                     }});
}

} // namespace

Case reduce_case(Reduction op, DType type, const std::string& shape, const Layout& out, const Layout& in, int axis,
                 Values values) {
    const auto reduced = static_cast<std::size_t>(axis < 0 ? axis + in.sizes.rank() : axis);
    return {"reduce_" + std::string(ops::to_string(op)), std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(op == Reduction::argmax ? DType::i32 : type, out);
                run.ran(ops::reduce(run.queue(), op, y.view(), x.view(), axis));
                run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, x, spread(i, reduced), reduced); });
            }};
}

void add_reduce_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const Reduction op : {Reduction::sum, Reduction::mean, Reduction::max, Reduction::argmax}) {
            add(cases, op, type, packed({1000}), 0, Values::wide);
            add(cases, op, type, packed({33, 65}), 1, Values::wide);
            add(cases, op, type, packed({33, 65}), 0, Values::wide);
            add(cases, op, type, packed({7, 129, 5}), 1, Values::wide);
            add(cases, op, type, packed({1, 1}), -1, Values::wide);
            add(cases, op, type, packed({513, 1}), 1, Values::wide);
            add(cases, op, type, packed({3, 20011}), -1, Values::unit);
            add(cases, op, type, packed({20011, 3}), 0, Values::unit);
            add(cases, op, type, packed({300, 257}), 1, Values::small_integers, " ties");
            add(cases, op, type, packed({16, 64}), 1, Values::equal, " equal");
            add(cases, op, type, packed({120, 33}), -1, Values::risky, " inf denormal");
            add(cases, op, type, packed({120, 17}), -2, Values::risky, " inf denormal");
            add(cases, op, type, packed({50, 12}), 1, Values::minus_infinity, " -inf");
            add(cases, op, type, packed({0, 5}), 1, Values::wide);
            add(cases, op, type, shifted(gapped({41, 35}, 3), 1), 1, Values::wide);
            add(cases, op, type, swapped({41, 35}, 0, 1), 1, Values::wide);
            add(cases, op, type, repeated({5, 6, 7}, 2), 1, Values::wide);
            add(cases, op, type, packed({2, 3, 2, 1, 2, 5, 2, 3}), 5, Values::wide);
            add(cases, op, type, packed({9, 11, 13}), 2, Values::wide, " out t01", swapped({9, 11}, 0, 1));
            if (op == Reduction::sum) {
                add(cases, op, type, packed({5, 0}), 1, Values::wide);
                add(cases, op, type, packed({300}), 0, Values::huge, " huge");
            }
            if (op == Reduction::max || op == Reduction::argmax) {
                add(cases, op, type, packed({64, 37}), 1, Values::special, " special");
                add(cases, op, type, packed({37, 64}), 0, Values::special, " special");
            } else {
                add_cancellation(cases, op, type);
            }
        }
}

} // namespace devq::conformance
