#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// NaN gives NaN unless said otherwise. gelu is x·Φ(x) by erf; gelu_tanh its tanh approximation (Hendrycks and Gimpel,
/// 2016).
enum class Unary {
    copy,
    negate,
    abs,
    square,
    sqrt,
    rsqrt,
    reciprocal,
    exp,
    log,
    tanh,
    sigmoid,
    relu,
    gelu,
    gelu_tanh,
    silu,
    floor,
    ceil,
    round, ///< to nearest, ties to even
    trunc,
    sign,        ///< -1, 0 or 1; 0 of NaN, as PyTorch has it
    relu6,       ///< min(max(x, 0), 6)
    hardsigmoid, ///< relu6(x + 3) / 6
    hardswish,   ///< x · hardsigmoid(x)
    sin,         ///< of any argument, however large
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh,
    erf,
    erfc,
    exp2,
    expm1,
    log2,
    log10,
    log1p,
    softplus,    ///< log(1 + exp(x))
    mish,        ///< x · tanh(softplus(x))
    logical_not, ///< 1 of ±0, else 0 (of NaN too); may go to u8, as the following
    is_nan,      ///< 1 or 0
    is_inf,
    is_finite
};

/// NaN of either operand gives NaN unless said otherwise. The backward ones take the gradient first.
enum class Binary {
    add,
    subtract,
    multiply,
    divide,
    maximum,
    minimum,
    relu_backward,    ///< of (gradient, x): gradient where x > 0, NaN where x is NaN, else 0
    sigmoid_backward, ///< of (gradient, y = sigmoid(x)): gradient · y · (1 - y)
    tanh_backward,    ///< of (gradient, y = tanh(x)): gradient · (1 - y²)
    pow,              ///< as C's: pow(x, 0) and pow(1, y) are 1 for NaN too
    fmod,             ///< the sign of a
    remainder,        ///< the sign of b: Python's %
    atan2,
    hypot,         ///< √(a² + b²); infinite where a or b is, whatever the other
    silu_backward, ///< of (gradient, x), as the following; slopes at ±infinity are their limits, 1 and 0
    gelu_backward,
    gelu_tanh_backward,
    equal, ///< 1 where it holds, else 0, as the following; comparisons with NaN do not hold, only not_equal does
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and, ///< of what is not ±0 (NaN is not)
    logical_or,
    logical_xor
};

DEVQ_API std::string_view to_string(Unary op) noexcept;
DEVQ_API std::string_view to_string(Binary op) noexcept;

/// out = op(in): f32, f16 or bf16, all of one type (tests, which give 1 or 0: `out` may be u8); arithmetic in f32. `in`
/// broadcasts to out's sizes (numpy's rules). In place where out and in are the same view.
DEVQ_API Placement unary(const Queue& queue, Unary op, const TensorView& out, const TensorView& in);

/// out = op(a, b): f32, f16 or bf16, all of one type (comparisons and logical ones: `out` may be u8); arithmetic in
/// f32; a and b broadcast to out's sizes. In place where out is the same view as a or b.
DEVQ_API Placement binary(const Queue& queue, Binary op, const TensorView& out, const TensorView& a,
                          const TensorView& b);

/// Those with a parameter, which is taken as f32; types, sizes and places as unary's and binary's.
/// min(max(x, low), high): high where low > high; NaN of x or of a limit gives NaN. Leave a side open by ∓infinity.
DEVQ_API Placement clamp(const Queue& queue, const TensorView& out, const TensorView& in, double low, double high);
/// x where x > 0, else slope · x.
DEVQ_API Placement leaky_relu(const Queue& queue, const TensorView& out, const TensorView& in, double slope = 0.01);
/// gradient where x > 0, NaN where x is NaN, else slope · gradient.
DEVQ_API Placement leaky_relu_backward(const Queue& queue, const TensorView& out, const TensorView& gradient,
                                       const TensorView& x, double slope = 0.01);
/// x where x > 0, else alpha · (exp(x) - 1).
DEVQ_API Placement elu(const Queue& queue, const TensorView& out, const TensorView& in, double alpha = 1.0);

} // namespace devq::ops
