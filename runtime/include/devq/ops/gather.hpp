#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// out[i, :] = in[rows[i], :]: picks rows of a matrix (elements of 2 or 4 bytes: f32, f16, bf16, i32). rows is i32,
/// each 0 ≤ row < in.size(0); a row outside gives NaN (0 for i32): nothing is read out of bounds. in may have a row
/// stride.
DEVQ_API Placement gather_rows(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& rows);

} // namespace devq::ops
