#include "bounds.hpp"
#include "cases.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

using ops::Reduction;

constexpr Reduction reductions[] = {Reduction::sum, Reduction::mean,   Reduction::max,     Reduction::argmax,
                                    Reduction::min, Reduction::argmin, Reduction::product, Reduction::norm};

bool gives_index(Reduction op) { return op == Reduction::argmax || op == Reduction::argmin; }
bool chooses(Reduction op) { return op == Reduction::max || op == Reduction::min || gives_index(op); }

/// Which axes of `rank` are reduced.
std::vector<bool> marked(int rank, const std::vector<int>& axes) {
    std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
    for (const int axis : axes)
        reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    return reduced;
}

/// The packed layout of the reduced (or of the kept) axes.
Layout part_of(const Layout& in, const std::vector<int>& axes, bool reduced) {
    const std::vector<bool> which = marked(in.sizes.rank(), axes);
    std::int64_t sizes[max_rank];
    std::size_t count = 0;
    for (int i = 0; i < in.sizes.rank(); ++i)
        if (which[static_cast<std::size_t>(i)] == reduced)
            sizes[count++] = in.sizes[i];
    return packed(Dims(std::span<const std::int64_t>(sizes, count)));
}

/// Calls f(value) for each element of the result at `out`, in row-major order.
template <class F>
void for_each_term(const Operand& x, const std::vector<int>& axes, const Index& out, F&& f) {
    const std::vector<bool> which = marked(x.sizes().rank(), axes);
    const Layout whole{x.sizes(), x.sizes(), 0, {}};
    for_each_index(part_of(whole, axes, true).sizes, [&](const Index& term, std::int64_t) {
        Index at{};
        for (std::size_t i = 0, kept = 0, over = 0; i < which.size(); ++i)
            at[i] = which[i] ? term[over++] : out[kept++];
        f(x(at));
    });
}

Expected rounded(double reference, double arithmetic) { return {reference, std::isfinite(reference) ? arithmetic : 0}; }

Expected expect(Reduction op, const Operand& x, const std::vector<int>& axes, const Index& out) {
    double sum = 0, terms = 0, squares = 0, product = 1, best = 0, best_index = 0, k = 0;
    bool found_nan = false;
    const bool least = op == Reduction::min || op == Reduction::argmin;
    for_each_term(x, axes, out, [&](double value) {
        sum += value;
        terms += std::fabs(value);
        squares += value * value;
        product *= value;
        if (!found_nan && (k == 0 || std::isnan(value) || (least ? value < best : value > best))) {
            best = value;
            best_index = k;
            found_nan = std::isnan(value);
        }
        ++k;
    });
    switch (op) {
    case Reduction::sum:
        return rounded(sum, k > 0 ? gamma(k - 1) * terms : 0);
    case Reduction::mean: // a division costs 2.5 ulp; a multiplication by 1/k, itself rounded, is within it
        return rounded(sum / k, gamma(k - 1 + roundings_of("divide")) * terms / k);
    case Reduction::product: // factors are chosen so that no partial product leaves f32's range
        return rounded(product, gamma(std::max(k - 1, 0.0)) * std::fabs(product));
    case Reduction::norm: { // a relative error of the sum is half as large in its root; squares may underflow
        if (squares >= format_of(DType::f32).overflow_threshold())
            return {INFINITY};
        const double error = gamma(k) * squares + k * function_floor, root = std::sqrt(squares);
        return rounded(root, std::sqrt(squares + error) - root + roundings_of("sqrt") * epsilon * root);
    }
    case Reduction::max:
    case Reduction::min:
        return {best};
    case Reduction::argmax:
    case Reduction::argmin:
        return {best_index};
    }
    return {};
}

/// s the squares' sum about the mean, q the sum of the squares: the mean of a block or of all is off by up to
/// γ(k)·√q/√k a term, which counts once with the distances (√s) and once by itself.
Expected expect_variance(const Operand& x, const std::vector<int>& axes, const Index& out, std::int64_t correction) {
    double sum = 0, k = 0, s = 0, q = 0;
    for_each_term(x, axes, out, [&](double value) {
        sum += value;
        ++k;
    });
    const double mean = sum / k, divisor = k - static_cast<double>(correction);
    for_each_term(x, axes, out, [&](double value) {
        s += (value - mean) * (value - mean);
        q += value * value;
    });
    if (divisor <= 0)
        return {NAN};
    const double g = gamma(k + variance_roundings);
    const double error = g * s + 2 * g * std::sqrt(s * q) + g * g * q + k * function_floor;
    return rounded(s / divisor, (error + roundings_of("divide") * epsilon * s) / divisor);
}

std::string note_of(const std::vector<int>& axes) {
    std::string text = axes.size() == 1 ? " axis" : axes.empty() ? " no axis" : " axes";
    for (const int axis : axes)
        text += fmt::format(" {}", axis);
    return text;
}

void add(std::vector<Case>& cases, Reduction op, DType type, const Layout& in, const std::vector<int>& axes,
         Values values, const std::string& note = {}, const std::optional<Layout>& out = {}) {
    cases.push_back(reduce_case(op, type, in.text() + note_of(axes) + note, out ? *out : part_of(in, axes, false), in,
                                axes, values));
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
                         run.judge(y, [&](const Index& i, std::int64_t) { return expect(op, x, {1}, i); });
                     }});
}

/// A long product: factors near 1, whose product stays a number, and some that are 0 or infinite.
void add_product(std::vector<Case>& cases, DType type, const Layout& in, const std::vector<int>& axes, bool special) {
    const std::string shape = in.text() + note_of(axes) + (special ? " 0 inf" : " near 1");
    cases.push_back({"reduce_product", std::string(to_string(type)), shape, [=](Run& run) {
                         const Operand& x = run.input(type, in, [&](const Index&) {
                             if (special && run.random().one_in(40))
                                 return run.random().one_in(2) ? 0.0 : INFINITY;
                             const double step = run.random().one_in(2) ? 1 + 0x1p-7 : 1 - 0x1p-7;
                             return run.random().one_in(2) ? step : -step;
                         });
                         const Operand& y = run.output(type, part_of(in, axes, false));
                         run.ran(ops::reduce(run.queue(), Reduction::product, y.view(), x.view(), axes));
                         run.judge(
                             y, [&](const Index& i, std::int64_t) { return expect(Reduction::product, x, axes, i); });
                     }});
}

void add_one_axis(std::vector<Case>& cases, Reduction op, DType type) {
    add(cases, op, type, packed({1000}), {0}, Values::wide);
    add(cases, op, type, packed({33, 65}), {1}, Values::wide);
    add(cases, op, type, packed({33, 65}), {0}, Values::wide);
    add(cases, op, type, packed({7, 129, 5}), {1}, Values::wide);
    add(cases, op, type, packed({1, 1}), {-1}, Values::wide);
    add(cases, op, type, packed({513, 1}), {1}, Values::wide);
    add(cases, op, type, packed({3, 20011}), {-1}, Values::unit);
    add(cases, op, type, packed({20011, 3}), {0}, Values::unit);
    add(cases, op, type, packed({300, 257}), {1}, Values::small_integers, " ties");
    add(cases, op, type, packed({16, 64}), {1}, Values::equal, " equal");
    add(cases, op, type, packed({120, 33}), {-1}, Values::risky, " inf denormal");
    add(cases, op, type, packed({120, 17}), {-2}, Values::risky, " inf denormal");
    add(cases, op, type, packed({50, 12}), {1}, Values::minus_infinity, " -inf");
    add(cases, op, type, packed({0, 5}), {1}, Values::wide);
    add(cases, op, type, shifted(gapped({41, 35}, 3), 1), {1}, Values::wide);
    add(cases, op, type, swapped({41, 35}, 0, 1), {1}, Values::wide);
    add(cases, op, type, repeated({5, 6, 7}, 2), {1}, Values::wide);
    add(cases, op, type, packed({2, 3, 2, 1, 2, 5, 2, 3}), {5}, Values::wide);
    add(cases, op, type, packed({9, 11, 13}), {2}, Values::wide, " out t01", swapped({9, 11}, 0, 1));
    if (op == Reduction::sum || op == Reduction::norm) {
        add(cases, op, type, packed({5, 0}), {1}, Values::wide);
        add(cases, op, type, packed({300}), {0}, Values::huge, " huge");
    }
    if (chooses(op)) {
        add(cases, op, type, packed({64, 37}), {1}, Values::special, " special");
        add(cases, op, type, packed({37, 64}), {0}, Values::special, " special");
    } else if (op != Reduction::norm) {
        add_cancellation(cases, op, type);
    }
}

/// Few results of many elements are cut into parts, by rows and by columns; reduced axes with others between them.
void add_axes(std::vector<Case>& cases, Reduction op, DType type) {
    add(cases, op, type, packed({5, 6, 7}), {0, 2}, Values::wide);
    add(cases, op, type, packed({5, 6, 7}), {2, 0}, Values::small_integers, " ties");
    add(cases, op, type, packed({5, 6, 7}), {0, 1, 2}, Values::wide);
    add(cases, op, type, packed({5, 6, 7}), {}, Values::wide);
    add(cases, op, type, packed({4, 33, 3, 5}), {0, 2, 3}, Values::wide);
    add(cases, op, type, packed({3, 17, 19, 24}), {0, 1, 2}, Values::wide);
    add(cases, op, type, swapped({6, 35, 9}, 0, 2), {0, 1}, Values::wide);
    add(cases, op, type, shifted(gapped({13, 4, 21}, 3), 1), {0, -1}, Values::wide);
    add(cases, op, type, packed({2, 3, 2, 3, 2, 3, 2, 3}), {1, 3, 5, 7}, Values::wide);
    add(cases, op, type, packed({5, 6, 7}), {0, 2}, Values::wide, " kept as 1x6x1", packed({1, 6, 1}));
    add(cases, op, type, packed({5, 0, 7}), {0}, Values::wide);
    add(cases, op, type, packed({100003}), {0}, Values::unit, " parts");
    add(cases, op, type, packed({40009, 5}), {0}, Values::unit, " parts");
    add(cases, op, type, packed({211, 3, 307}), {0, 2}, Values::unit, " parts");
    add(cases, op, type, packed({70001}), {0}, Values::small_integers, " ties parts");
}

void add_variance(std::vector<Case>& cases, DType type) {
    const auto add = [&](const Layout& in, const std::vector<int>& axes, Values values, const std::string& note = {},
                         std::int64_t correction = 1) {
        cases.push_back(variance_case(type, in.text() + note_of(axes) + note, part_of(in, axes, false), in, axes,
                                      correction, values));
    };
    for (const Layout& in : {packed({33, 65}), packed({7, 700}), packed({35, 41}), swapped({41, 35}, 0, 1),
                             shifted(gapped({41, 35}, 3), 1), repeated({40, 50}, 1)})
        for (const int axis : {0, 1})
            add(in, {axis}, Values::wide);
    add(packed({33, 65}), {1}, Values::wide, " whole", 0);
    add(packed({33, 65}), {0}, Values::wide, " whole", 0);
    add(packed({9, 3}), {1}, Values::wide, " correction 3", 3);
    add(packed({7, 1}), {1}, Values::wide, " of one");
    add(packed({7, 1}), {1}, Values::wide, " of one, whole", 0);
    add(packed({}), {}, Values::wide, " whole", 0);
    add(packed({6, 500}), {1}, Values::equal, " equal");
    add(packed({60, 33}), {1}, Values::risky, " inf denormal");
    add(packed({60, 33}), {0}, Values::risky, " inf denormal");
    add(packed({4, 33, 3, 5}), {0, 2, 3}, Values::wide);
    add(packed({3, 17, 19, 24}), {0, 1, 2}, Values::wide);
    add(packed({2, 3, 2, 3, 2, 3, 2, 3}), {1, 3, 5, 7}, Values::wide);
    add(packed({0, 5}), {1}, Values::wide);
    add(packed({100003}), {0}, Values::unit, " parts");
    add(packed({40009, 5}), {0}, Values::unit, " parts");
    add(packed({211, 3, 307}), {0, 2}, Values::unit, " parts");
    for (const Layout& in : {packed({8, 3000}), packed({100003})}) // a mean a thousand times the deviation
        for (const bool columns : {false, true}) {
            const Layout at = columns ? packed({in.elements() / 8, 8}) : in;
            const int axis = columns ? 0 : in.sizes.rank() - 1;
            cases.push_back(
                {"variance", std::string(to_string(type)), at.text() + note_of({axis}) + " huge mean", [=](Run& run) {
                     const double mean = type == DType::f32 ? 30000 : type == DType::f16 ? 300 : 20;
                     const Operand& x = run.input(
                         type, at, [&](const Index&) { return mean + draw(run.random(), Values::unit, type); });
                     const Operand& y = run.output(type, part_of(at, {axis}, false));
                     run.ran(ops::variance(run.queue(), y.view(), x.view(), {axis}));
                     run.judge(y, [&](const Index& i, std::int64_t) { return expect_variance(x, {axis}, i, 1); });
                 }});
        }
}

} // namespace

Case reduce_case(Reduction op, DType type, const std::string& shape, const Layout& out, const Layout& in, int axis,
                 Values values) {
    return reduce_case(op, type, shape, out, in, std::vector<int>{axis}, values);
}

Case reduce_case(Reduction op, DType type, const std::string& shape, const Layout& out, const Layout& in,
                 const std::vector<int>& axes, Values values) {
    return {"reduce_" + std::string(ops::to_string(op)), std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(gives_index(op) ? DType::i32 : type, out);
                run.ran(ops::reduce(run.queue(), op, y.view(), x.view(), axes));
                const bool kept_as_ones = out.sizes.rank() == in.sizes.rank();
                const std::vector<bool> which = marked(in.sizes.rank(), axes);
                run.judge(y, [&](const Index& i, std::int64_t) {
                    Index kept = i;
                    if (kept_as_ones) {
                        kept = {};
                        for (std::size_t d = 0, to = 0; d < which.size(); ++d)
                            if (!which[d])
                                kept[to++] = i[d];
                    }
                    return expect(op, x, axes, kept);
                });
            }};
}

Case variance_case(DType type, const std::string& shape, const Layout& out, const Layout& in,
                   const std::vector<int>& axes, std::int64_t correction, Values values) {
    return {"variance", std::string(to_string(type)), shape, [=](Run& run) {
                const Operand& x = run.input(type, in, values);
                const Operand& y = run.output(type, out);
                run.ran(ops::variance(run.queue(), y.view(), x.view(), axes, correction));
                run.judge(y, [&](const Index& i, std::int64_t) { return expect_variance(x, axes, i, correction); });
            }};
}

void add_reduce_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        for (const Reduction op : reductions) {
            if (op == Reduction::product) {
                for (const Layout& in : {packed({5, 6, 7}), packed({33, 65}), packed({4, 33, 9, 5}),
                                         swapped({41, 35, 2}, 0, 2), shifted(gapped({41, 35}, 3), 1)})
                    for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {0, 1}, {-1, 0}})
                        add_product(cases, type, in, axes, false);
                add_product(cases, type, packed({120, 33}), {1}, true);
                add_product(cases, type, packed({33, 120}), {0}, true);
                add_product(cases, type, packed({70001}), {0}, false);
                add(cases, op, type, packed({5, 0}), {1}, Values::wide);
                continue;
            }
            add_one_axis(cases, op, type);
            add_axes(cases, op, type);
        }
        add_variance(cases, type);
    }
}

} // namespace devq::conformance
