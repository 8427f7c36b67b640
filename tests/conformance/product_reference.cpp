#include "product_reference.hpp"
#include "bounds.hpp"
#include <algorithm>
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

void ProductSum::scale(double alpha) { alpha_ = alpha; }

void ProductSum::add_scaled(double beta, double c) {
    has_added_ = true;
    added_ = beta * c;
    see(added_);
}

void ProductSum::add_bias(double bias) {
    has_bias_ = true;
    bias_ = bias;
    see(bias);
}

Expected ProductSum::expected(ops::Activation activation) const {
    // Partial sums that overflow f32 with either sign make NaN or infinity, depending on the order of the sum.
    // So may one that does, and that alpha would bring back.
    if (((positive_ && negative_) || alpha_ != 1) && finite_terms_ >= 0x1p127 && !std::isnan(sum_))
        return Expected::anything();
    double reference = alpha_ == 0 ? 0 : alpha_ * sum_, terms = alpha_ == 0 ? 0 : std::fabs(alpha_) * terms_;
    auto roundings = static_cast<double>(count_) + (alpha_ != 1 ? 1 : 0);
    if (has_added_) {
        reference += added_;
        terms += std::fabs(added_);
        roundings += 1;
    }
    if (has_bias_) {
        reference += bias_;
        terms += std::fabs(bias_);
        roundings += 1;
    }
    // c has a rounding for beta, one where it is added and one for the bias: no more, where there is a product at all.
    double arithmetic = gamma(std::max(roundings, has_added_ ? 2.0 : 0.0)) * terms;
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
    if (activation == ops::Activation::gelu_tanh) {
        if (reference == -INFINITY)
            return Expected::anything();
        const double x = reference, t = std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
        reference = x / 2 * (1 + t);
        arithmetic = gelu_slope * arithmetic +
                     roundings_of("gelu_tanh") * epsilon * std::fabs(x) / 2 * (1 + std::fabs(t)) + function_floor;
    }
    if (activation == ops::Activation::silu) {
        if (reference == -INFINITY)
            return Expected::anything();
        reference = reference / (1 + std::exp(-reference));
        arithmetic = silu_slope * arithmetic + roundings_of("silu") * epsilon * std::fabs(reference) + function_floor;
    }
    if (!std::isfinite(reference))
        arithmetic = 0;
    return {reference, arithmetic};
}

} // namespace devq::conformance
