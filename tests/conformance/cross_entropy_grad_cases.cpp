#include "bounds.hpp"
#include "grad.hpp"
#include "softmax_reference.hpp"
#include <devq/ops/cross_entropy.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

void add(std::vector<Case>& cases, DType type, std::int64_t rows, std::int64_t classes, float scale, Values values,
         const char* note = "") {
    cases.push_back({"softmax_cross_entropy", std::string(to_string(type)),
                     fmt::format("{}x{} scale {}{}", rows, classes, scale, note), [=](Run& run) {
                         const Layout matrix = packed({rows, classes});
                         const Operand& x = run.input(type, matrix, values, "logits");
                         const Operand& labels = run.input(
                             DType::i32, packed({rows}),
                             [&](const Index&) { return static_cast<double>(run.random().below(classes)); }, "labels");
                         const Operand& loss_out = run.output(DType::f32, packed({rows}), "loss");
                         const Operand& gradient = run.output(type, matrix, "gradient");
                         run.ran(ops::softmax_cross_entropy(run.queue(), loss_out.view(), x.view(), labels.view(),
                                                            {.gradient = gradient.view(), .scale = scale}));
                         SoftmaxRows probabilities(x, 1);
                         judge_gradient(
                             run, gradient, x,
                             [&](const Point& at, LossSum& loss) {
                                 for (std::int64_t row = 0; row < rows; ++row) {
                                     double sum = 0;
                                     for (std::int64_t c = 0; c < classes; ++c)
                                         sum += std::exp(at(x, {row, c}));
                                     loss.add(scale * std::log(sum));
                                     loss.add(-scale * at(x, {row, static_cast<std::int64_t>(labels({row}))}));
                                 }
                             },
                             [&](const Index& index, double numeric) {
                                 return probabilities.probability(index).arithmetic * scale * (1 + gamma(3)) +
                                        gamma(3) * std::fabs(numeric) + function_floor;
                             });
                     }});
}

} // namespace

void add_cross_entropy_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types) {
        add(cases, type, 1, 2, 1, Values::unit);
        add(cases, type, 7, 10, 1.0f / 8, Values::unit);
        add(cases, type, 3, 67, 1, Values::unit);
        add(cases, type, 5, 9, 128, Values::moderate, " moderate");
    }
}

} // namespace devq::conformance
