#pragma once
/// The constants behind every limit of the suite. docs/accuracy.md explains them; a test compares the two.
///
/// An element y of storage type T is right when |y - ref| ≤ u·|ref| + E, where u is T's unit roundoff and E bounds the
/// error of the f32 arithmetic before the result is rounded to T: E = c·γ(k)·Σ|terms|, γ(k) = k·ε/(1 - k·ε), ε = 2^-24,
/// k the number of roundings on an element's longest way through the sum, Σ|terms| in f64.

#include <string_view>

namespace devq::conformance {

inline constexpr double epsilon = 0x1p-24; ///< unit roundoff of f32 arithmetic

constexpr double gamma(double k) noexcept { return k * epsilon / (1 - k * epsilon); }

/// Roundings (in units of ε, relative to the terms) that a function's own evaluation may cost. An OpenCL "ulp" is up to
/// 2ε.
struct FunctionBound {
    std::string_view name;
    double roundings;
    std::string_view terms;
    std::string_view why;
};

inline constexpr FunctionBound function_bounds[] = {
    {"add", 1, "ref", "one rounding"},
    {"subtract", 1, "ref", "one rounding"},
    {"multiply", 1, "ref", "one rounding"},
    {"square", 1, "ref", "one rounding"},
    {"divide", 5, "ref", "2.5 ulp"},
    {"reciprocal", 5, "ref", "2.5 ulp"},
    {"sqrt", 6, "ref", "3 ulp"},
    {"rsqrt", 11, "ref", "sqrt and divide"},
    {"exp", 6, "ref", "3 ulp"},
    {"log", 6, "ref", "3 ulp"},
    {"tanh", 10, "ref", "5 ulp"},
    {"sigmoid", 12, "ref", "exp, add, divide"},
    {"silu", 13, "ref", "sigmoid and multiply"},
    {"gelu", 36, "x/2·(1 + abs(erf))", "erf 16 ulp, its argument, add, two multiplications"},
    {"gelu_tanh", 18, "x/2·(1 + abs(tanh))", "tanh 5 ulp, five roundings in its argument, add, two multiplications"},
    {"hardsigmoid", 6, "ref", "add, multiply by a rounded sixth; a division would be 2.5 ulp"},
    {"hardswish", 7, "ref", "hardsigmoid and multiply"},
    {"sin", 8, "ref", "4 ulp"},
    {"cos", 8, "ref", "4 ulp"},
    {"tan", 10, "ref", "5 ulp"},
    {"asin", 8, "ref", "4 ulp"},
    {"acos", 8, "ref", "4 ulp"},
    {"atan", 10, "ref", "5 ulp"},
    {"sinh", 8, "ref", "4 ulp"},
    {"cosh", 8, "ref", "4 ulp"},
    {"asinh", 8, "ref", "4 ulp"},
    {"acosh", 8, "ref", "4 ulp"},
    {"atanh", 10, "ref", "5 ulp"},
    {"erf", 32, "ref", "16 ulp"},
    {"erfc", 32, "ref", "16 ulp"},
    {"exp2", 6, "ref", "3 ulp"},
    {"expm1", 6, "ref", "3 ulp"},
    {"log2", 6, "ref", "3 ulp"},
    {"log10", 6, "ref", "3 ulp"},
    {"log1p", 4, "ref", "2 ulp"},
    {"softplus", 11, "ref", "exp 3 ulp, log1p 2 ulp, add"},
    {"mish", 22, "ref", "softplus, tanh 5 ulp, multiply"},
    {"elu", 7, "ref", "expm1 and multiply"},
    {"sigmoid_backward", 3, "ref", "subtract, two multiplications"},
    {"tanh_backward", 3, "gradient·(1 + y²)", "square, subtract, multiply"},
    {"pow", 32, "ref", "16 ulp"},
    {"remainder", 1, "ref", "fmod is exact, add"},
    {"atan2", 12, "ref", "6 ulp"},
    {"hypot", 8, "ref", "4 ulp"},
    {"silu_backward", 28, "gradient·σ(x)·(1 + abs(x)·σ(−x))", "two sigmoids, add, three multiplications"},
    {"gelu_backward", 40, "gradient·((1 + abs(erf))/2 + abs(x)·φ·(1 + x²))",
     "gelu's erf; exp 3 ulp and two roundings in its argument; add, multiply"},
    {"gelu_tanh_backward", 24, "gradient·((1 + abs(tanh))/2 + abs(second)·(1 + 2·abs(u)))",
     "gelu_tanh's tanh; u five roundings, exp 3 ulp, the square and quotient, slope, add, multiply"},
};

constexpr double roundings_of(std::string_view name) noexcept {
    for (const FunctionBound& bound : function_bounds)
        if (bound.name == name)
            return bound.roundings;
    return 0; // exact
}

/// Results of functions (not of plain arithmetic) below f32's smallest normal may be flushed to zero.
inline constexpr double function_floor = 0x1p-126;

/// What a variance costs beside the sum of its squares: the distance from the mean and its square (2 each), the merges
/// of blocks (10).
inline constexpr double variance_roundings = 14;

/// softmax divides by the sum, or multiplies by its reciprocal: 2.5 ulp and one rounding.
inline constexpr double softmax_scaling = 6;

/// Largest slopes of gelu (either form: 1.1289 and 1.1290) and silu (1.0998): an error before the activation grows by
/// no more than this.
inline constexpr double gelu_slope = 1.13, silu_slope = 1.1;

} // namespace devq::conformance
