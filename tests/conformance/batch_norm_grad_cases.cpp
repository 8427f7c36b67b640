#include "bounds.hpp"
#include "grad.hpp"
#include <devq/ops/batch_norm.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

constexpr double added = 1e-5;

/// Mean and 1/√(variance + added) of each channel at a point.
struct Statistics {
    template <class At>
    Statistics(const Operand& x, At&& at) : mean(static_cast<std::size_t>(x.sizes()[1])), inverse(mean.size()) {
        std::vector<double> counts(mean.size());
        for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
            mean[channel(i)] += at(i);
            counts[channel(i)] += 1;
        });
        for (std::size_t c = 0; c < mean.size(); ++c)
            mean[c] /= counts[c];
        for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
            inverse[channel(i)] += (at(i) - mean[channel(i)]) * (at(i) - mean[channel(i)]);
        });
        for (std::size_t c = 0; c < mean.size(); ++c)
            inverse[c] = 1 / std::sqrt(inverse[c] / counts[c] + added);
        count = counts.empty() ? 0 : counts[0];
    }
    static std::size_t channel(const Index& i) { return static_cast<std::size_t>(i[1]); }

    std::vector<double> mean, inverse;
    double count = 0;
};

enum class By { in, gamma, beta };
constexpr std::string_view names[] = {"in", "gamma", "beta"};

void add(std::vector<Case>& cases, DType type, const Layout& layout, By by) {
    const auto shape = fmt::format("{} by {}", layout.text(), names[static_cast<int>(by)]);
    cases.push_back(
        {"batch_norm_backward", std::string(to_string(type)), shape, [=](Run& run) {
             const Layout each = packed({layout.sizes[1]});
             const Operand& x = run.input(type, layout, Values::unit, "in");
             const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
             const Operand& gamma_in = run.input(DType::f32, each, Values::unit, "gamma");
             const Operand& beta_in = run.input(DType::f32, each, Values::unit, "beta");
             const Statistics here(x, [&](const Index& i) { return x(i); });
             const Operand& mean = run.input(
                 DType::f32, each, [&](const Index& i) { return here.mean[static_cast<std::size_t>(i[0])]; }, "mean");
             const Operand& inverse = run.input(
                 DType::f32, each, [&](const Index& i) { return here.inverse[static_cast<std::size_t>(i[0])]; },
                 "inverse");
             const Operand& dx = run.output(type, layout, "in_gradient");
             const Operand& dgamma = run.output(DType::f32, each, "gamma_gradient");
             const Operand& dbeta = run.output(DType::f32, each, "beta_gradient");
             run.ran(ops::batch_norm_backward(run.queue(), dx.view(), dgamma.view(), dbeta.view(), g.view(), x.view(),
                                              mean.view(), inverse.view(), gamma_in.view()));
             const auto loss = [&](const Point& at, LossSum& sum) {
                 const Statistics moved(x, [&](const Index& i) { return at(x, i); });
                 for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
                     const std::size_t c = Statistics::channel(i);
                     const double hat = (at(x, i) - moved.mean[c]) * moved.inverse[c];
                     sum.add(g(i) * hat * at(gamma_in, {i[1]}));
                     sum.add(g(i) * at(beta_in, {i[1]}));
                 });
             };
             // What the sums are made of, and what the rounded mean and inverse move: 2ε of x̂ and of the mean.
             std::vector<double> size(here.mean.size()), gradients(size.size());
             double largest = 0;
             for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
                 const std::size_t c = Statistics::channel(i);
                 const double hat = std::fabs(x(i) - here.mean[c]) * here.inverse[c];
                 size[c] += std::fabs(g(i)) * (hat + 2 * here.inverse[c] * std::fabs(here.mean[c]));
                 gradients[c] += std::fabs(g(i));
                 largest = std::max(largest, hat);
             });
             const double k = here.count;
             const auto of_sums = [&](std::size_t c) { return gamma(k + 6) * size[c]; };
             if (by == By::beta)
                 return judge_gradient(run, dbeta, beta_in, loss, [&](const Index& i, double) {
                     return gamma(k) * gradients[static_cast<std::size_t>(i[0])];
                 });
             if (by == By::gamma)
                 return judge_gradient(run, dgamma, gamma_in, loss,
                                       [&](const Index& i, double) { return of_sums(static_cast<std::size_t>(i[0])); });
             judge_gradient(
                 run, dx, x, loss,
                 [&](const Index& i, double) {
                     const std::size_t c = Statistics::channel(i);
                     const double slope = std::fabs(here.inverse[c] * gamma_in({i[1]})), hat = largest + 1;
                     const double terms = std::fabs(g(i)) + gradients[c] / k + hat * size[c] / k;
                     return slope * (gamma(k) * gradients[c] / k + hat * of_sums(c) / k + gamma(24) * terms);
                 },
                 0x1p-7);
         }});
}

} // namespace

void add_batch_norm_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const By by : {By::in, By::gamma, By::beta}) {
            add(cases, type, packed({3, 2, 2, 3}), by);
            add(cases, type, packed({7, 5}), by);
            add(cases, type, channels_last({2, 18, 2, 2}), by);
        }
}

} // namespace devq::conformance
