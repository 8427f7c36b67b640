#include "bounds.hpp"
#include "grad.hpp"
#include <devq/ops/mse.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

void add(std::vector<Case>& cases, DType type, const Layout& layout, bool per_element) {
    cases.push_back({"mse_loss", std::string(to_string(type)),
                     fmt::format("{}{}", layout.text(), per_element ? " per element" : " mean"), [=](Run& run) {
                         const Operand& x = run.input(type, layout, Values::unit, "x");
                         const Operand& target = run.input(type, layout, Values::unit, "target");
                         const Operand& loss_out = run.output(DType::f32, per_element ? layout : packed({}), "loss");
                         const Operand& gradient = run.output(type, layout, "gradient");
                         run.ran(ops::mse_loss(run.queue(), loss_out.view(), x.view(), target.view(),
                                               {.gradient = gradient.view(), .per_element = per_element}));
                         const double n = per_element ? 1 : static_cast<double>(layout.elements());
                         judge_gradient(
                             run, gradient, x,
                             [&](const Point& at, LossSum& loss) {
                                 for_each_index(layout.sizes, [&](const Index& i, std::int64_t) {
                                     const double difference = at(x, i) - target(i);
                                     loss.add(difference * difference / n);
                                 });
                             },
                             [&](const Index&, double numeric) { return gamma(4) * std::fabs(numeric); });
                     }});
}

} // namespace

void add_mse_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const bool per_element : {false, true}) {
            add(cases, type, packed({7, 13}), per_element);
            add(cases, type, packed({1}), per_element);
            add(cases, type, swapped({5, 3, 6}, 0, 2), per_element);
        }
}

} // namespace devq::conformance
