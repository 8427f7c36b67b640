#include "elementwise_reference.hpp"
#include "bounds.hpp"
#include <cmath>

namespace devq::conformance {

using ops::Binary;
using ops::Unary;

namespace {

/// A result of one or a few roundings: relative to itself.
Expected relative(double reference, std::string_view op) {
    return {reference, std::isfinite(reference) ? roundings_of(op) * epsilon * std::fabs(reference) : 0};
}
/// The same for functions, which may flush denormal results.
Expected function(double reference, double terms, std::string_view op) {
    return {reference, std::isfinite(reference) ? roundings_of(op) * epsilon * terms + function_floor : 0};
}

Expected function(double reference, std::string_view op) { return function(reference, std::fabs(reference), op); }

/// gradient · an activation's slope at x, whose own terms are given; of large x it is 1 or 0, where gelu's may be as
/// far off as erf and tanh may be. An infinite gradient times a slope that may be 0 or of either sign can be anything.
Expected slope(double gradient, double x, double value, double terms, std::string_view op) {
    if (std::fabs(x) > 128) {
        value = x > 0 ? 1 : 0;
        terms = x > 0 || op != "silu_backward" ? 1 : 0;
    }
    const double off = roundings_of(op) * epsilon * terms + 256 * function_floor;
    if (std::isinf(gradient) && std::fabs(value) <= off)
        return Expected::anything();
    const double y = gradient * value;
    return {y, std::isfinite(y) ? std::fabs(gradient) * off + function_floor : 0};
}

double softplus(double x) { return std::isnan(x) ? x : std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

} // namespace

Expected expect(Unary op, double x) {
    switch (op) {
    case Unary::copy:
        return Expected::exactly(x);
    case Unary::negate:
        return Expected::exactly(-x);
    case Unary::abs:
        return Expected::exactly(std::fabs(x));
    case Unary::relu:
        return {std::isnan(x) || x > 0 ? x : 0.0}; // either zero
    case Unary::square:
        return relative(x * x, "square");
    case Unary::reciprocal:
        return relative(1 / x, "reciprocal");
    case Unary::sqrt:
        return relative(std::sqrt(x), "sqrt");
    case Unary::rsqrt:
        return relative(1 / std::sqrt(x), "rsqrt");
    case Unary::log:
        return relative(std::log(x), "log");
    case Unary::exp:
        return function(std::exp(x), std::exp(x), "exp");
    case Unary::tanh:
        return function(std::tanh(x), std::fabs(std::tanh(x)), "tanh");
    case Unary::sigmoid: {
        const double y = 1 / (1 + std::exp(-x));
        return function(y, y, "sigmoid");
    }
    case Unary::silu: {
        if (x == -INFINITY)
            return Expected::anything(); // -inf · 0
        const double y = x / (1 + std::exp(-x));
        return function(y, std::fabs(y), "silu");
    }
    case Unary::gelu: {
        if (x == -INFINITY)
            return Expected::anything();
        const double e = std::erf(x / std::sqrt(2.0));
        return function(x / 2 * (1 + e), std::fabs(x) / 2 * (1 + std::fabs(e)), "gelu");
    }
    case Unary::gelu_tanh: {
        if (x == -INFINITY)
            return Expected::anything();
        const double t = std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
        return function(x / 2 * (1 + t), std::fabs(x) / 2 * (1 + std::fabs(t)), "gelu_tanh");
    }
    case Unary::floor:
        return {std::floor(x)};
    case Unary::ceil:
        return {std::ceil(x)};
    case Unary::round:
        return {std::nearbyint(x)};
    case Unary::trunc:
        return {std::trunc(x)};
    case Unary::sign:
        return {x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0};
    case Unary::relu6:
        return {std::isnan(x) ? x : std::fmin(std::fmax(x, 0), 6)};
    case Unary::hardsigmoid:
        return relative(std::isnan(x) ? x : std::fmin(std::fmax(x + 3, 0), 6) / 6, "hardsigmoid");
    case Unary::hardswish:
        return x == -INFINITY ? Expected::anything()
                              : function(x * (std::isnan(x) ? x : std::fmin(std::fmax(x + 3, 0), 6) / 6), "hardswish");
    case Unary::sin:
        return function(std::sin(x), "sin");
    case Unary::cos:
        return function(std::cos(x), "cos");
    case Unary::tan:
        return function(std::tan(x), "tan");
    case Unary::asin:
        return function(std::asin(x), "asin");
    case Unary::acos:
        return function(std::acos(x), "acos");
    case Unary::atan:
        return function(std::atan(x), "atan");
    case Unary::sinh:
        return function(std::sinh(x), "sinh");
    case Unary::cosh:
        return function(std::cosh(x), "cosh");
    case Unary::asinh:
        return function(std::asinh(x), "asinh");
    case Unary::acosh:
        return function(std::acosh(x), "acosh");
    case Unary::atanh:
        return function(std::atanh(x), "atanh");
    case Unary::erf:
        return function(std::erf(x), "erf");
    case Unary::erfc:
        return function(std::erfc(x), "erfc");
    case Unary::exp2:
        return function(std::exp2(x), "exp2");
    case Unary::expm1:
        return function(std::expm1(x), "expm1");
    case Unary::log2:
        return function(std::log2(x), "log2");
    case Unary::log10:
        return function(std::log10(x), "log10");
    case Unary::log1p:
        return function(std::log1p(x), "log1p");
    case Unary::softplus:
        return function(softplus(x), "softplus");
    case Unary::mish:
        return x == -INFINITY ? Expected::anything() : function(x * std::tanh(softplus(x)), "mish");
    case Unary::logical_not:
        return Expected::exactly(x == 0);
    case Unary::is_nan:
        return Expected::exactly(std::isnan(x));
    case Unary::is_inf:
        return Expected::exactly(std::isinf(x));
    case Unary::is_finite:
        return Expected::exactly(std::isfinite(x));
    }
    return {};
}

Expected expect(Binary op, double a, double b) {
    switch (op) {
    case Binary::add:
        return relative(a + b, "add");
    case Binary::subtract:
        return relative(a - b, "subtract");
    case Binary::multiply:
        return relative(a * b, "multiply");
    case Binary::divide:
        return relative(a / b, "divide");
    case Binary::maximum:
        return {std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b)};
    case Binary::minimum:
        return {std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b)};
    case Binary::relu_backward:
        return {std::isnan(b) ? NAN : b > 0 ? a : 0.0};
    case Binary::sigmoid_backward:
        return relative(a * (b * (1 - b)), "sigmoid_backward");
    case Binary::tanh_backward:
        return function(a * (1 - b * b), std::fabs(a) * (1 + b * b), "tanh_backward");
    case Binary::pow:
        return function(std::pow(a, b), "pow");
    case Binary::fmod:
        return function(std::fmod(a, b), 0, "fmod");
    case Binary::remainder: {
        const double m = std::fmod(a, b);
        return function(m != 0 && (m < 0) != (b < 0) ? m + b : m, "remainder");
    }
    case Binary::atan2:
        return function(std::atan2(a, b), "atan2");
    case Binary::hypot:
        return function(std::hypot(a, b), "hypot");
    case Binary::silu_backward: {
        const double s = 1 / (1 + std::exp(-b)), rest = 1 / (1 + std::exp(b));
        return slope(a, b, s * (1 + b * rest), s * (1 + std::fabs(b) * rest), "silu_backward");
    }
    case Binary::gelu_backward: {
        const double e = std::erf(b / std::sqrt(2.0)), density = std::exp(-b * b / 2) / std::sqrt(2 * M_PI);
        return slope(a, b, (1 + e) / 2 + b * density, (1 + std::fabs(e)) / 2 + std::fabs(b) * density * (1 + b * b),
                     "gelu_backward");
    }
    case Binary::gelu_tanh_backward: {
        const double inside = std::sqrt(2 / M_PI) * (b + 0.044715 * b * b * b), t = std::tanh(inside);
        const double inner = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * b * b);
        const double second = b / 2 / (std::cosh(inside) * std::cosh(inside)) * inner;
        return slope(a, b, (1 + t) / 2 + second,
                     (1 + std::fabs(t)) / 2 + std::fabs(second) * (1 + 2 * std::fabs(inside)), "gelu_tanh_backward");
    }
    case Binary::equal:
        return Expected::exactly(a == b);
    case Binary::not_equal:
        return Expected::exactly(a != b);
    case Binary::less:
        return Expected::exactly(a < b);
    case Binary::less_equal:
        return Expected::exactly(a <= b);
    case Binary::greater:
        return Expected::exactly(a > b);
    case Binary::greater_equal:
        return Expected::exactly(a >= b);
    case Binary::logical_and:
        return Expected::exactly(a != 0 && b != 0);
    case Binary::logical_or:
        return Expected::exactly(a != 0 || b != 0);
    case Binary::logical_xor:
        return Expected::exactly((a != 0) != (b != 0));
    }
    return {};
}

Values domain(Unary op) {
    switch (op) {
    case Unary::sqrt:
    case Unary::rsqrt:
    case Unary::log:
    case Unary::log2:
    case Unary::log10:
    case Unary::acosh:
        return Values::positive;
    case Unary::exp:
    case Unary::tanh:
    case Unary::sigmoid:
    case Unary::gelu:
    case Unary::gelu_tanh:
    case Unary::silu:
    case Unary::sinh:
    case Unary::cosh:
    case Unary::erf:
    case Unary::erfc:
    case Unary::exp2:
    case Unary::expm1:
    case Unary::softplus:
    case Unary::mish:
    case Unary::hardsigmoid:
    case Unary::hardswish:
    case Unary::relu6:
    case Unary::floor:
    case Unary::ceil:
    case Unary::round:
    case Unary::trunc:
        return Values::moderate;
    case Unary::asin:
    case Unary::acos:
    case Unary::atanh:
    case Unary::log1p:
        return Values::unit;
    default:
        return Values::wide;
    }
}

} // namespace devq::conformance
