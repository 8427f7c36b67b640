#include "product_reference.hpp"
#include "bounds.hpp"
#include <cmath>

namespace devq::conformance {

void ProductSum::see(double term) {
    finite_terms_ += std::isfinite(term) ? std::fabs(term) : 0;
    positive_ = positive_ || term > 0;
    negative_ = negative_ || term < 0;
}

void ProductSum::add(double a, double b) {
    const double product = a * b;
    ++count_;
    sum_ += product;
    terms_ += std::fabs(product);
    see(product);
}

void ProductSum::add_bias(double bias) {
    has_bias_ = true;
    bias_ = bias;
    see(bias);
}

Expected ProductSum::expected(ops::Activation activation) const {
    // Partial sums that overflow f32 with either sign make NaN or infinity, depending on the order of the sum.
    if (positive_ && negative_ && finite_terms_ >= 0x1p127 && !std::isnan(sum_))
        return Expected::anything();
    double reference = sum_, arithmetic = gamma(static_cast<double>(count_)) * terms_;
    if (has_bias_) {
        reference += bias_;
        arithmetic = gamma(static_cast<double>(count_ + 1)) * (terms_ + std::fabs(bias_));
    }
    if (activation == ops::Activation::relu)
        reference = std::isnan(reference) || reference > 0 ? reference : 0;
    if (activation == ops::Activation::gelu) {
        if (reference == -INFINITY)
            return Expected::anything();
        const double x = reference, e = std::erf(x / std::sqrt(2.0));
        reference = x / 2 * (1 + e);
        arithmetic = gelu_slope * arithmetic + roundings_of("gelu") * epsilon * std::fabs(x) / 2 * (1 + std::fabs(e)) +
                     function_floor;
    }
    if (!std::isfinite(reference))
        arithmetic = 0;
    return {reference, arithmetic};
}

} // namespace devq::conformance
