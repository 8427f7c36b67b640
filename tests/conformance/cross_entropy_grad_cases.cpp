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

/// Every option at once: the gradient is that of the mean over the rows that count.
void add_weighted(std::vector<Case>& cases, DType type, std::int64_t rows, std::int64_t classes, float smoothing) {
    constexpr std::int32_t ignored = -7;
    cases.push_back(
        {"softmax_cross_entropy", std::string(to_string(type)),
         fmt::format("{}x{} ignored weights smoothing {} divided", rows, classes, smoothing), [=](Run& run) {
             const Layout matrix = packed({rows, classes});
             const Operand& x = run.input(type, matrix, Values::unit, "logits");
             const Operand& labels = run.input(
                 DType::i32, packed({rows}),
                 [&](const Index& i) {
                     return i[0] % 3 == 1 ? ignored : static_cast<double>(run.random().below(classes));
                 },
                 "labels");
             const Operand& weights = run.input(
                 DType::f32, packed({classes}), [&](const Index&) { return run.random().uniform(0.25, 2); },
                 "class_weights");
             const Operand& loss_out = run.output(DType::f32, packed({rows}), "loss");
             const Operand& gradient = run.output(type, matrix, "gradient");
             const Operand& count = run.output(DType::f32, packed({1}), "count");
             run.ran(ops::softmax_cross_entropy(run.queue(), loss_out.view(), x.view(), labels.view(),
                                                {.gradient = gradient.view(),
                                                 .ignore_label = ignored,
                                                 .label_smoothing = smoothing,
                                                 .class_weights = weights.view(),
                                                 .count = count.view(),
                                                 .divide_by_count = true}));
             const auto label = [&](std::int64_t row) { return static_cast<std::int64_t>(labels({row})); };
             double total = 0, all_weights = 0;
             for (std::int64_t row = 0; row < rows; ++row)
                 total += label(row) == ignored ? 0 : weights({label(row)});
             for (std::int64_t c = 0; c < classes; ++c)
                 all_weights += weights({c});
             const double s = smoothing, share = s / static_cast<double>(classes);
             SoftmaxRows probabilities(x, 1);
             judge_gradient(
                 run, gradient, x,
                 [&](const Point& at, LossSum& loss) {
                     for (std::int64_t row = 0; row < rows; ++row) {
                         if (label(row) == ignored)
                             continue;
                         double sum = 0;
                         for (std::int64_t c = 0; c < classes; ++c)
                             sum += std::exp(at(x, {row, c}));
                         const double log_sum = std::log(sum);
                         for (std::int64_t c = 0; c < classes; ++c) {
                             const double hot = c == label(row) ? 1 - s : 0;
                             loss.add((hot + share) * weights({c}) / total * log_sum);
                             loss.add(-(hot + share) * weights({c}) / total * at(x, {row, c}));
                         }
                     }
                 },
                 [&](const Index& index, double numeric) {
                     if (label(index[0]) == ignored)
                         return 0.0;
                     const double hot = (1 - s) * weights({label(index[0])}), all = hot + share * all_weights;
                     const Expected p = probabilities.probability(index);
                     const double count_relative = gamma(static_cast<double>(rows)) + roundings_of("divide") * epsilon;
                     const double terms =
                         p.reference * all + share * weights({index[1]}) + (index[1] == label(index[0]) ? hot : 0);
                     return (p.arithmetic * all * (1 + gamma(3)) + gamma(static_cast<double>(classes) + 6) * terms) /
                                total * (1 + count_relative) +
                            (gamma(3) + count_relative) * std::fabs(numeric) + function_floor;
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
        add_weighted(cases, type, 7, 10, 0);
        add_weighted(cases, type, 5, 19, 0.125f);
    }
}

} // namespace devq::conformance
