#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// counts[b] = how many elements x of `in` (f32, f16 or bf16; any shape and strides, at most 2³¹ - 1 elements) lie in
/// bin b of those that divide low … high evenly, as PyTorch's histc. counts is i32 of rank 1, its size the number of
/// bins, 2²⁴ at most. The bin of x is ⌊(x - low) · scale⌋, both operations in f32 and scale = bins / (high - low)
/// rounded to f32; high itself belongs to the last bin. What is outside, and NaN, is not counted. low < high, both
/// finite, as is high - low in f32. Exact, and the same on every device.
DEVQ_API Placement histogram(const Queue& queue, const TensorView& counts, const TensorView& in, float low, float high);

} // namespace devq::ops
