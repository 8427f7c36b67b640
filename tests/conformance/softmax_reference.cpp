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

} // namespace devq::conformance
