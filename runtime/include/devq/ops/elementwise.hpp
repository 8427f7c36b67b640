#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

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
    silu
};
/// relu_backward(gradient, x): gradient where x > 0, NaN where x is NaN, else 0.
enum class Binary { add, subtract, multiply, divide, maximum, minimum, relu_backward };

DEVQ_API std::string_view to_string(Unary op) noexcept;
DEVQ_API std::string_view to_string(Binary op) noexcept;

/// out = op(in): f32, f16 or bf16, all of one type; arithmetic in f32. `in` broadcasts to out's sizes (numpy's rules).
/// gelu is x·Φ(x) by erf; gelu_tanh its tanh approximation (Hendrycks and Gimpel, 2016). relu propagates NaN.
/// In place where out and in are the same view.
DEVQ_API Placement unary(const Queue& queue, Unary op, const TensorView& out, const TensorView& in);

/// out = op(a, b): f32, f16 or bf16, all of one type; arithmetic in f32; a and b broadcast to out's sizes.
/// maximum and minimum propagate NaN. In place where out is the same view as a or b.
DEVQ_API Placement binary(const Queue& queue, Binary op, const TensorView& out, const TensorView& a,
                          const TensorView& b);

} // namespace devq::ops
