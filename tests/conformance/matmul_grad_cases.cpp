// The gradients of out = a·b are products themselves: of a, out_gradient·bᵀ; of b, aᵀ·out_gradient.
#include "bounds.hpp"
#include "grad.hpp"
#include <devq/ops/matmul.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    std::int64_t m, n, k;
    std::int64_t gap = 0, shift = 0;
    bool of_b = false; ///< whose gradient

    std::string text() const {
        return fmt::format("gradient of {} m{} n{} k{}{}{}", of_b ? "b" : "a", m, n, k,
                           gap > 0 ? fmt::format(" gap{}", gap) : "", shift > 0 ? fmt::format(" off{}", shift) : "");
    }
    Layout place(const Dims& sizes) const { return shifted(gapped(sizes, gap), shift); }
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back(
        {"matmul", std::string(to_string(type)), s.text(), [=](Run& run) {
             const Operand& a = run.input(type, s.place({s.m, s.k}), Values::unit, "a");
             const Operand& b = run.input(type, s.place({s.k, s.n}), Values::unit, "b");
             const Operand& g = run.input(type, s.place({s.m, s.n}), Values::unit, "out_gradient");
             const Operand& gradient = run.output(type, s.of_b ? s.place({s.k, s.n}) : s.place({s.m, s.k}), "gradient");
             if (s.of_b)
                 run.ran(ops::matmul(run.queue(), gradient.view(), a.view(), g.view(), {.transpose_a = true}));
             else
                 run.ran(ops::matmul(run.queue(), gradient.view(), g.view(), b.view(), {.transpose_b = true}));
             judge_gradient(
                 run, gradient, s.of_b ? b : a,
                 [&](const Point& at, LossSum& loss) {
                     for (std::int64_t i = 0; i < s.m; ++i)
                         for (std::int64_t j = 0; j < s.n; ++j)
                             for (std::int64_t l = 0; l < s.k; ++l)
                                 loss.add(g({i, j}) * at(a, {i, l}) * at(b, {l, j}));
                 },
                 [&](const Index& at, double) {
                     double terms = 0;
                     for (std::int64_t i = 0; i < (s.of_b ? s.m : s.n); ++i)
                         terms += s.of_b ? std::fabs(a({i, at[0]}) * g({i, at[1]}))
                                         : std::fabs(g({at[0], i}) * b({at[1], i}));
                     return gamma(static_cast<double>(s.of_b ? s.m : s.n)) * terms;
                 });
         }});
}

} // namespace

void add_matmul_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const bool of_b : {false, true}) {
            add(cases, type, {.m = 1, .n = 1, .k = 1, .of_b = of_b});
            add(cases, type, {.m = 5, .n = 33, .k = 9, .of_b = of_b});
            add(cases, type, {.m = 17, .n = 4, .k = 13, .gap = 3, .shift = 1, .of_b = of_b});
            add(cases, type, {.m = 20, .n = 19, .k = 3, .of_b = of_b});
        }
}

} // namespace devq::conformance
