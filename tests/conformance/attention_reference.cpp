#include "attention_reference.hpp"
#include "bounds.hpp"
#include <cmath>

namespace devq::conformance {

namespace {

/// Products may underflow, exponentials be flushed.
constexpr double product_floor = 0x1p-149;

/// Relative error of exp(score - base), from the score's own and the exponential's, whose argument is rounded once and
/// perhaps scaled.
double exp_relative(double score_error, double distance) {
    return std::expm1(score_error) + epsilon * (roundings_of("exp") + 2 * std::fabs(distance));
}

} // namespace

bool AttentionProblem::visible(std::int64_t i, std::int64_t j) const {
    if (causal == ops::Causal::none)
        return true;
    return j <= i + (causal == ops::Causal::bottom_right ? keys() - queries() : 0);
}

double AttentionProblem::added(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    if (mask == nullptr)
        return 0;
    const Index full{b, h, i, j};
    Index at{};
    const int extra = 4 - mask->sizes().rank();
    for (int d = 0; d < mask->sizes().rank(); ++d)
        at[static_cast<std::size_t>(d)] = mask->sizes()[d] == 1 ? 0 : full[static_cast<std::size_t>(d + extra)];
    return (*mask)(at);
}

bool AttentionProblem::hidden(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return !visible(i, j) || (mask != nullptr && mask->type() == DType::u8 && added(b, h, i, j) == 0);
}

AttentionReference::Score AttentionReference::score(std::int64_t b, std::int64_t h, std::int64_t i,
                                                    std::int64_t j) const {
    if (p_.hidden(b, h, i, j))
        return {-INFINITY, 0};
    double sum = 0, size = 0;
    for (std::int64_t d = 0; d < p_.head_dim(); ++d) {
        const double term = (*p_.q)({b, h, i, d}) * (*p_.k)({b, h / p_.shared(), j, d});
        sum += term;
        size += std::fabs(term);
    }
    const double added = p_.mask != nullptr && p_.mask->type() != DType::u8 ? p_.added(b, h, i, j) : 0;
    const double value = sum * p_.scale + added, n = static_cast<double>(p_.head_dim());
    if (!std::isfinite(value))
        return {value, 0};
    const double scale = std::fabs(static_cast<double>(p_.scale));
    return {value, gamma(n + 2) * (size * scale + std::fabs(added)) + (n * scale + 1) * product_floor};
}

void AttentionReference::take_row(const Index& at) {
    const Index start{at[0], at[1], at[2]};
    if (have_row_ && start == row_index_)
        return;
    have_row_ = true;
    row_index_ = start;
    const std::int64_t keys = p_.keys();
    std::vector<Score> scores;
    max_ = -INFINITY;
    for (std::int64_t j = 0; j < keys; ++j) {
        scores.push_back(score(at[0], at[1], at[2], j));
        const double value = scores.back().value;
        max_ = std::isnan(value) || value > max_ ? value : max_;
        if (std::isnan(max_))
            break;
    }
    nothing_ = max_ == -INFINITY;
    weights_.assign(static_cast<std::size_t>(keys), std::isfinite(max_) || nothing_ ? 0 : NAN);
    relative_.assign(static_cast<std::size_t>(keys), 0);
    sum_ = std::isfinite(max_) || nothing_ ? 0 : NAN;
    double weighted = 0;
    // Each block of keys (16 at least) rounds the factor that rescales what is there, and a product by it.
    const double rescaled = (roundings_of("exp") + 1) * epsilon * static_cast<double>(keys / 16 + 1);
    for (std::size_t j = 0; std::isfinite(max_) && j < scores.size(); ++j) {
        const double distance = scores[j].value - max_;
        weights_[j] = std::exp(distance);
        relative_[j] = weights_[j] > 0 ? exp_relative(scores[j].error, distance) + rescaled : 0;
        sum_ += weights_[j];
        weighted += weights_[j] * relative_[j];
    }
    sum_relative_ =
        sum_ > 0 ? (weighted + 2 * static_cast<double>(keys) * function_floor) / sum_ + gamma(static_cast<double>(keys))
                 : 0;
}

Expected AttentionReference::out(const Index& at) {
    take_row(at);
    if (nothing_)
        return {0};
    double sum = 0, error = 0, size = 0, values = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
        const double v = (*p_.v)({at[0], at[1] / p_.shared(), static_cast<std::int64_t>(j), at[3]});
        const double term = weights_[j] * v;
        sum += term;
        error += std::fabs(term) * relative_[j];
        size += std::fabs(term);
        values += std::fabs(v);
    }
    const double reference = sum / sum_;
    if (!std::isfinite(reference))
        return {reference};
    const double keys = static_cast<double>(p_.keys());
    const double numerator = error + gamma(keys) * (size + error) + 2 * function_floor * (values + keys);
    return {reference, (numerator / sum_ + std::fabs(reference) * (sum_relative_ + softmax_scaling * epsilon)) /
                               (1 - sum_relative_) +
                           function_floor};
}

Expected AttentionReference::log_sum_exp(const Index& at) {
    take_row(at);
    if (nothing_)
        return {-INFINITY};
    const double log_sum = std::log(sum_), reference = max_ + log_sum;
    if (!std::isfinite(reference))
        return {max_ == INFINITY ? NAN : reference};
    return {reference, sum_relative_ / (1 - sum_relative_) + roundings_of("log") * epsilon * std::fabs(log_sum) +
                           gamma(2) * (std::fabs(max_) + std::fabs(log_sum))};
}

AttentionGradientReference::AttentionGradientReference(const AttentionProblem& problem, const Operand& out_gradient,
                                                       const Operand& out, const Operand& log_sum_exp,
                                                       bool saved_rounded)
    : p_(problem), g_(out_gradient) {
    const Format format = format_of(out.type());
    const double u = saved_rounded ? format.unit_roundoff() : 0, u_lse = saved_rounded ? epsilon : 0,
                 step = saved_rounded ? format.subnormal_step() / 2 : 0;
    const AttentionReference forward(problem);
    const double wide = gamma(static_cast<double>(p_.value_dim()));
    for (std::int64_t b = 0; b < p_.batch(); ++b)
        for (std::int64_t h = 0; h < p_.heads(); ++h)
            for (std::int64_t i = 0; i < p_.queries(); ++i) {
                double delta = 0, delta_size = 0, delta_moved = 0;
                for (std::int64_t d = 0; d < p_.value_dim(); ++d) {
                    delta += g_({b, h, i, d}) * out({b, h, i, d});
                    delta_size += std::fabs(g_({b, h, i, d}) * out({b, h, i, d}));
                    delta_moved += std::fabs(g_({b, h, i, d})) * (u / (1 - u) * std::fabs(out({b, h, i, d})) + step);
                }
                const double lse = log_sum_exp({b, h, i});
                for (std::int64_t j = 0; j < p_.keys(); ++j) {
                    const AttentionReference::Score score = forward.score(b, h, i, j);
                    double product = 0, product_size = 0;
                    for (std::int64_t d = 0; d < p_.value_dim(); ++d) {
                        const double term = g_({b, h, i, d}) * (*p_.v)({b, h / p_.shared(), j, d});
                        product += term;
                        product_size += std::fabs(term);
                    }
                    Weight w{};
                    if (score.value != -INFINITY && lse != -INFINITY) {
                        const double distance = score.value - lse;
                        w.p = std::exp(distance);
                        w.p_error = w.p * exp_relative(score.error + u_lse / (1 - u_lse) * std::fabs(lse), distance) +
                                    function_floor;
                        const double difference = product - delta;
                        w.slope = w.p * difference;
                        w.slope_error = w.p_error * std::fabs(difference) +
                                        (w.p + w.p_error) * (delta_moved + wide * (product_size + delta_size) +
                                                             gamma(2) * (std::fabs(product) + std::fabs(delta)) +
                                                             2 * static_cast<double>(p_.value_dim()) * product_floor);
                    }
                    weights_.push_back(w);
                }
            }
}

const AttentionGradientReference::Weight& AttentionGradientReference::weight(std::int64_t b, std::int64_t h,
                                                                             std::int64_t i, std::int64_t j) const {
    return weights_[static_cast<std::size_t>(((b * p_.heads() + h) * p_.queries() + i) * p_.keys() + j)];
}

Expected AttentionGradientReference::of_q(const Index& at) const {
    double sum = 0, error = 0, size = 0;
    for (std::int64_t j = 0; j < p_.keys(); ++j) {
        const Weight& w = weight(at[0], at[1], at[2], j);
        const double k = (*p_.k)({at[0], at[1] / p_.shared(), j, at[3]});
        sum += w.slope * k;
        error += w.slope_error * std::fabs(k);
        size += (std::fabs(w.slope) + w.slope_error) * std::fabs(k);
    }
    const double n = static_cast<double>(p_.keys()), scale = std::fabs(static_cast<double>(p_.scale));
    return {sum * p_.scale, scale * (error + gamma(n + 1) * size + n * product_floor)};
}

Expected AttentionGradientReference::of_k(const Index& at) const {
    double sum = 0, error = 0, size = 0;
    for (std::int64_t h = at[1] * p_.shared(); h < (at[1] + 1) * p_.shared(); ++h)
        for (std::int64_t i = 0; i < p_.queries(); ++i) {
            const Weight& w = weight(at[0], h, i, at[2]);
            const double q = (*p_.q)({at[0], h, i, at[3]});
            sum += w.slope * q;
            error += w.slope_error * std::fabs(q);
            size += (std::fabs(w.slope) + w.slope_error) * std::fabs(q);
        }
    const double n = static_cast<double>(p_.queries() * p_.shared()), scale = std::fabs(static_cast<double>(p_.scale));
    return {sum * p_.scale, scale * (error + gamma(n + 1) * size + n * product_floor)};
}

Expected AttentionGradientReference::of_v(const Index& at) const {
    double sum = 0, error = 0, size = 0;
    for (std::int64_t h = at[1] * p_.shared(); h < (at[1] + 1) * p_.shared(); ++h)
        for (std::int64_t i = 0; i < p_.queries(); ++i) {
            const Weight& w = weight(at[0], h, i, at[2]);
            const double g = g_({at[0], h, i, at[3]});
            sum += w.p * g;
            error += w.p_error * std::fabs(g);
            size += (w.p + w.p_error) * std::fabs(g);
        }
    const double n = static_cast<double>(p_.queries() * p_.shared());
    return {sum, error + gamma(n) * size + n * product_floor};
}

} // namespace devq::conformance
