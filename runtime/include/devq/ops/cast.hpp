#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// Converts between f32, f16 and bf16, round to nearest even; overflow becomes infinity, NaN stays NaN. `in` broadcasts
/// to out's sizes; any strides. Views may not overlap.
DEVQ_API Placement cast(const Queue& queue, const TensorView& out, const TensorView& in);

} // namespace devq::ops
