#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

/// Picking elements by their index: f32, f16, bf16 or i32, moved as bits. Indices are i32, each 0 ≤ index < the size of
/// the axis picked from; one outside gives NaN (0 for i32): nothing is read out of bounds. in and indices have any
/// strides; out overlaps neither. The gradient of each is a sum over equal indices: <devq/ops/scatter.hpp>.

namespace devq::ops {

/// out[…, i, …] = in[…, indices[…, i, …], …] along `axis` (negative counts from the end), as PyTorch's gather does. out
/// and in have the same sizes but along `axis`; indices broadcasts to out's sizes, so that indices of shape [n, 1, 1]
/// pick whole slices along axis 0 of three.
DEVQ_API Placement gather(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& indices,
                          int axis);

/// out[…, :] = table[indices[…], :]: a row of table, a matrix, for each index; out has indices' sizes and then the
/// table's columns.
DEVQ_API Placement embedding(const Queue& queue, const TensorView& out, const TensorView& table,
                             const TensorView& indices);

/// The same for a list of rows: out[i, :] = in[rows[i], :].
DEVQ_API Placement gather_rows(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& rows);

} // namespace devq::ops
