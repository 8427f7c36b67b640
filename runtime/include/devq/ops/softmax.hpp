#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// out = exp(x - max) / Σ exp(x - max) along `axis` (negative counts from the end). f32, f16 or bf16, both of one type
/// and the same sizes; f32 inside. A row with NaN, with +inf, or all -inf gives NaN, as PyTorch does. In place where
/// out and in are the same view.
DEVQ_API Placement softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis = -1);

/// out = (x - max) - log Σ exp(x - max): as softmax, and as it on NaN and infinity (an element of -inf beside finite
/// ones gives -inf).
DEVQ_API Placement log_softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis = -1);

/// The gradient of softmax from that of its result, g, and the result y: in_gradient = y · (g - Σ g · y) along `axis`.
/// All of one type (f32, f16 or bf16) and the same sizes, any strides; f32 inside. In place where in_gradient is the
/// same view as out_gradient or as out.
DEVQ_API Placement softmax_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                                    const TensorView& out, int axis = -1);

/// The same of log_softmax: in_gradient = g - exp(y) · Σ g.
DEVQ_API Placement log_softmax_backward(const Queue& queue, const TensorView& in_gradient,
                                        const TensorView& out_gradient, const TensorView& out, int axis = -1);

} // namespace devq::ops
