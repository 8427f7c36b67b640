#include "softmax_reference.hpp"
#include "bounds.hpp"
#include <cmath>

namespace devq::conformance {

// The argument x - max is rounded once and perhaps scaled by log2(e) for exp2: an absolute error of up to 2ε·|x - max|,
// which is a relative one of the exponential.
double SoftmaxRows::exp_relative(double distance) const noexcept {
    return std::isfinite(distance) ? epsilon * (roundings_of("exp") + 2 * std::fabs(distance)) : 0;
}

const SoftmaxRows::Row& SoftmaxRows::row(Index index) {
    index[axis_] = 0;
    if (have_row_ && index == row_index_)
        return row_;
    have_row_ = true;
    row_index_ = index;
    row_ = {};
    const std::int64_t k = x_.sizes()[static_cast<int>(axis_)];
    double max = -INFINITY;
    for (std::int64_t i = 0; i < k; ++i) {
        index[axis_] = i;
        const double value = x_(index);
        max = std::isnan(value) || value > max ? value : max;
        if (std::isnan(max))
            break;
    }
    double sum = 0, weighted = 0;
    for (std::int64_t i = 0; i < k; ++i) {
        index[axis_] = i;
        const double distance = x_(index) - max;
        const double e = std::exp(distance);
        sum += e;
        weighted += e > 0 ? e * exp_relative(distance) : 0;
    }
    row_.max = max;
    row_.sum = sum;
    row_.sum_relative = std::isfinite(sum) ? weighted / sum + gamma(static_cast<double>(k)) : 0;
    return row_;
}

Expected SoftmaxRows::probability(const Index& index) {
    const Row& r = row(index);
    const double distance = x_(index) - r.max;
    const double reference = std::exp(distance) / r.sum;
    if (!std::isfinite(reference))
        return {reference};
    const double relative = reference > 0 ? exp_relative(distance) + r.sum_relative + softmax_scaling * epsilon : 0;
    return {reference, reference * relative + function_floor};
}

Expected SoftmaxRows::logarithm(const Index& index) {
    const Row& r = row(index);
    const double distance = x_(index) - r.max, log_sum = std::log(r.sum);
    const double reference = distance - log_sum;
    if (!std::isfinite(reference))
        return {reference};
    // The sum's relative error is the logarithm's absolute one; two subtractions.
    return {reference, r.sum_relative / (1 - r.sum_relative) + roundings_of("log") * epsilon * std::fabs(log_sum) +
                           gamma(2) * (std::fabs(distance) + std::fabs(log_sum))};
}

Expected SoftmaxGradient::operator()(const Index& index) {
    Index start = index;
    start[axis_] = 0;
    const std::int64_t k = g_.sizes()[static_cast<int>(axis_)];
    if (!have_row_ || start != row_index_) {
        have_row_ = true;
        row_index_ = start;
        sum_ = magnitude_ = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            start[axis_] = i;
            const double term = g_(start) * (logarithm_ ? 1 : y_(start));
            sum_ += term;
            magnitude_ += std::fabs(term);
        }
    }
    const double g = g_(index), y = y_(index);
    // k products and sums; products may underflow.
    const double sum_error = gamma(static_cast<double>(k)) * magnitude_ + static_cast<double>(k) * 0x1p-149;
    if (logarithm_) {
        const double e = std::exp(y), reference = g - e * sum_;
        if (!std::isfinite(reference))
            return {reference};
        // exp(y), whose argument is not rounded but perhaps scaled, a product and a subtraction.
        const double exp_relative = std::isfinite(y) ? epsilon * (roundings_of("exp") + 2 * std::fabs(y)) : 0;
        return {reference, e * (1 + gamma(3) + exp_relative) * sum_error +
                               (exp_relative + gamma(2)) * (std::fabs(e * sum_) + std::fabs(g)) +
                               function_floor * (1 + std::fabs(sum_))};
    }
    const double reference = y * (g - sum_);
    if (!std::isfinite(reference))
        return {reference};
    return {reference, std::fabs(y) * ((1 + gamma(2)) * sum_error + gamma(2) * (std::fabs(g) + std::fabs(sum_)))};
}

} // namespace devq::conformance
