#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// out = exp(x - max) / Σ exp(x - max) along `axis` (negative counts from the end). f32, f16 or bf16, both of one type
/// and the same sizes; f32 inside. A row with NaN, with +inf, or all -inf gives NaN, as PyTorch does. In place where
/// out and in are the same view.
DEVQ_API Placement softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis = -1);

} // namespace devq::ops
