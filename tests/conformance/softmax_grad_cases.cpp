#include "bounds.hpp"
#include "grad.hpp"
#include "softmax_reference.hpp"
#include <devq/ops/softmax.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

void add(std::vector<Case>& cases, DType type, const Layout& layout, std::size_t axis, bool logarithm) {
    cases.push_back(
        {logarithm ? "log_softmax_backward" : "softmax_backward", std::string(to_string(type)),
         fmt::format("{} axis {}", layout.text(), axis), [=](Run& run) {
             const Operand& x = run.input(type, layout, Values::unit, "x");
             const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
             const std::int64_t length = layout.sizes[static_cast<int>(axis)];
             const auto log_sum = [&](const auto& at, Index index) {
                 double sum = 0;
                 for (index[axis] = 0; index[axis] < length; ++index[axis])
                     sum += std::exp(at(index));
                 return std::log(sum);
             };
             const auto stored = [&](const Index& i) { return x(i); };
             const Operand& y = run.input(
                 type, layout,
                 [&](const Index& i) {
                     const double value = x(i) - log_sum(stored, i);
                     return logarithm ? value : std::exp(value);
                 },
                 "out");
             const Operand& dx = run.output(type, layout, "in_gradient");
             run.ran((logarithm ? ops::log_softmax_backward : ops::softmax_backward)(run.queue(), dx.view(), g.view(),
                                                                                     y.view(), static_cast<int>(axis)));
             SoftmaxGradient expect(g, y, axis, logarithm);
             judge_gradient(
                 run, dx, x,
                 [&](const Point& at, LossSum& loss) {
                     const auto moved = [&](const Index& i) { return at(x, i); };
                     for_each_index(layout.sizes, [&](const Index& i, std::int64_t) {
                         const double value = moved(i) - log_sum(moved, i);
                         loss.add(g(i) * (logarithm ? value : std::exp(value)));
                     });
                 },
                 [&](const Index& index, double) {
                     // The backward's own error, and what rounding y moves: each by up to u.
                     const double u = format_of(type).unit_roundoff();
                     double sum = 0, magnitude = 0;
                     Index i = index;
                     for (i[axis] = 0; i[axis] < length; ++i[axis]) {
                         const double term = g(i) * (logarithm ? 1 : y(i));
                         sum += term;
                         magnitude += std::fabs(term);
                     }
                     const double moves =
                         logarithm ? std::exp(y(index)) * std::expm1(u / (1 - u) * std::fabs(y(index))) * std::fabs(sum)
                                   : u / (1 - u) * y(index) * (std::fabs(g(index) - sum) + (1 + 2 * u) * magnitude);
                     return expect(index).arithmetic + moves;
                 });
         }});
}

} // namespace

void add_softmax_grad_cases(std::vector<Case>& cases) {
    for (const bool logarithm : {false, true})
        for (const DType type : storage_types) {
            add(cases, type, packed({7, 10}), 1, logarithm);
            add(cases, type, packed({1, 67}), 1, logarithm);
            add(cases, type, packed({9, 13}), 0, logarithm);
            add(cases, type, packed({2, 5, 11}), 1, logarithm);
            add(cases, type, gapped({3, 1, 2}, 3), 2, logarithm);
        }
}

} // namespace devq::conformance
