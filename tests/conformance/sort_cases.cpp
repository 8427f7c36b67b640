#include "suite.hpp"
#include <algorithm>
#include <cmath>
#include <devq/ops/sort.hpp>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

namespace devq::conformance {

namespace {

enum class What { sort, sort_values, argsort, top_k };

struct Shape {
    Layout in;
    int axis = -1;
    bool descending = false;
    std::int64_t kept = -1; ///< -1: all
    Values values = Values::wide;
    const char* note = "";
    What what = What::sort;
    std::optional<Layout> out = {};

    std::size_t along() const { return static_cast<std::size_t>(axis < 0 ? axis + in.sizes.rank() : axis); }
    Layout result() const {
        if (out)
            return *out;
        Dims sizes = in.sizes;
        if (kept >= 0)
            sizes[static_cast<int>(along())] = kept;
        return packed(sizes);
    }
    std::string text() const {
        return fmt::format("{}{} axis {}{}{}{}{}", in.text(), out ? " out" + out->note : "", axis,
                           descending ? " descending" : "", kept >= 0 ? fmt::format(" k{}", kept) : "",
                           what == What::sort_values ? " values" : "", note);
    }
};

/// NaN above everything, the two zeros alike.
bool before(double a, double b, bool descending) {
    if (descending)
        std::swap(a, b);
    return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// Where the elements of each row belong, computed when a row is first asked for.
class Orders {
public:
    Orders(const Operand& x, std::size_t axis, bool descending) : x_(x), axis_(axis), descending_(descending) {}
    std::int64_t operator()(Index index) {
        const auto place = static_cast<std::size_t>(index[axis_]);
        index[axis_] = 0;
        std::vector<std::int64_t>& order = orders_[index];
        if (order.empty()) {
            order.resize(static_cast<std::size_t>(x_.sizes()[static_cast<int>(axis_)]));
            std::iota(order.begin(), order.end(), 0);
            const auto at = [&](std::int64_t i) {
                index[axis_] = i;
                return x_(index);
            };
            std::stable_sort(order.begin(), order.end(),
                             [&](std::int64_t a, std::int64_t b) { return before(at(a), at(b), descending_); });
        }
        return order[place];
    }

private:
    const Operand& x_;
    std::size_t axis_;
    bool descending_;
    std::map<Index, std::vector<std::int64_t>> orders_;
};

/// i32: all bits, the ends of the range among them.
const Operand& elements(Run& run, DType type, const Shape& s) {
    if (type != DType::i32 || s.values != Values::wide)
        return run.input(type, s.in, s.values);
    return run.input(type, s.in, [&](const Index&) {
        if (run.random().one_in(16))
            return run.random().one_in(2) ? -0x1p31 : 0x1p31 - 1;
        return static_cast<double>(run.random().below(std::int64_t{1} << 32)) - 0x1p31;
    });
}

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const char* const op = s.what == What::argsort ? "argsort" : s.what == What::top_k ? "top_k" : "sort";
    cases.push_back({op, std::string(to_string(type)), s.text(), [=](Run& run) {
                         const Operand& x = elements(run, type, s);
                         const bool has_values = s.what != What::argsort, has_indices = s.what != What::sort_values;
                         const Operand* const values = has_values ? &run.output(type, s.result(), "values") : nullptr;
                         const Operand* const indices =
                             has_indices ? &run.output(DType::i32, s.result(), "indices") : nullptr;
                         if (s.what == What::argsort) {
                             run.ran(ops::argsort(run.queue(), indices->view(), x.view(), s.axis, s.descending));
                         } else if (s.what == What::top_k) {
                             run.ran(ops::top_k(run.queue(), values->view(), indices->view(), x.view(),
                                                {.axis = s.axis, .largest = s.descending}));
                         } else {
                             ops::SortOptions options{.axis = s.axis, .descending = s.descending};
                             if (has_indices)
                                 options.indices = indices->view();
                             run.ran(ops::sort(run.queue(), values->view(), x.view(), options));
                         }
                         Orders orders(x, s.along(), s.descending);
                         if (has_indices)
                             run.judge(*indices, [&](const Index& i, std::int64_t) {
                                 return Expected::exactly(static_cast<double>(orders(i)));
                             });
                         if (has_values)
                             run.judge(*values, [&](const Index& i, std::int64_t) {
                                 Index from = i;
                                 from[s.along()] = orders(i);
                                 return Expected::exactly(x(from));
                             });
                     }});
}

} // namespace

void add_sort_cases(std::vector<Case>& cases) {
    constexpr DType types[] = {DType::f32, DType::f16, DType::bf16, DType::i32};
    for (const DType type : types)
        for (const bool descending : {false, true}) {
            const auto sort = [&](Shape s) {
                s.descending = descending;
                add(cases, type, s);
            };
            // Rows of up to 32 elements, of up to some thousand, and longer ones, have kernels of their own.
            sort({.in = packed({33, 17})});
            sort({.in = packed({9, 32}), .values = Values::small_integers, .note = " ties"});
            sort({.in = packed({9, 33}), .values = Values::small_integers, .note = " ties"});
            sort({.in = packed({7, 300})});
            sort({.in = packed({2, 1}), .axis = 1});
            sort({.in = packed({1, 5000})});
            sort({.in = packed({2, 9001}), .values = Values::small_integers, .note = " ties"});
            sort({.in = packed({20011}), .axis = 0});
            sort({.in = packed({17, 3}), .axis = 0});
            sort({.in = packed({100, 33}), .axis = 0});
            sort({.in = packed({5, 61, 7}), .axis = 1});
            sort({.in = packed({2, 3, 1, 2, 40, 2, 3, 2}), .axis = 4});
            sort({.in = packed({3, 40}), .values = Values::equal, .note = " equal"});
            sort({.in = packed({0, 40})});
            sort({.in = packed({40, 0})});
            sort({.in = shifted(gapped({21, 35}, 3), 1)});
            sort({.in = stepped({5, 70}, 2)});
            sort({.in = swapped({40, 50}, 0, 1), .out = shifted(gapped({40, 50}, 1), 3)});
            sort({.in = repeated({6, 35}, 1), .out = swapped({6, 35}, 0, 1)});
            sort({.in = packed({12, 25}), .what = What::sort_values});
            sort({.in = packed({12, 125}), .what = What::sort_values});
            if (is_floating(type)) {
                sort({.in = packed({31, 29}), .values = Values::special, .note = " special"});
                sort({.in = packed({31, 290}), .values = Values::special, .note = " special"});
                sort({.in = packed({6001}), .axis = 0, .values = Values::special, .note = " special"});
                sort({.in = packed({3, 100}), .values = Values::any_bits, .note = " bits"});
            }
            sort({.in = packed({33, 17}), .what = What::argsort});
            sort({.in = packed({5, 170}), .values = Values::small_integers, .note = " ties", .what = What::argsort});
            sort({.in = packed({70, 5}), .axis = 0, .what = What::argsort, .out = swapped({70, 5}, 0, 1)});

            sort({.in = packed({33, 17}), .kept = 5, .what = What::top_k});
            sort({.in = packed({9, 1000}), .kept = 7, .what = What::top_k});
            sort({.in = packed({9, 1000}), .kept = 1000, .what = What::top_k});
            sort({.in = packed({3, 100}), .kept = 0, .what = What::top_k});
            sort({.in = packed({20011}), .axis = 0, .kept = 50, .what = What::top_k});
            sort({.in = packed({50, 13}), .axis = 0, .kept = 1, .what = What::top_k});
            sort({.in = packed({6, 300}),
                  .kept = 100,
                  .values = Values::small_integers,
                  .note = " ties",
                  .what = What::top_k});
            sort({.in = shifted(gapped({6, 300}, 5), 1), .kept = 3, .what = What::top_k});
            if (is_floating(type))
                sort({.in = packed({20, 100}),
                      .kept = 30,
                      .values = Values::special,
                      .note = " special",
                      .what = What::top_k});
        }
}

} // namespace devq::conformance
