#pragma once
#include <cstdint>
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

/// Sums of what goes to the same index: f32, f16, bf16 (summed in f32 and rounded once) or i32 (modulo 2³²). The terms
/// of a sum are added in the order in which they stand in the input, after sorting the indices (<devq/ops/sort.hpp>, in
/// the same memory and under the same limits): no atomics, the same bits in every run. Indices are i32; terms with an
/// index outside go nowhere. Any strides; out overlaps no input.

namespace devq::ops {

/// out[…, indices[…, i, …], …] += in[…, i, …] along `axis` (negative counts from the end), as PyTorch's scatter_add_
/// does, and the gradient of gather. out and in have the same sizes but along `axis`; indices broadcasts to in's sizes.
DEVQ_API Placement scatter_add(const Queue& queue, const TensorView& out, const TensorView& in,
                               const TensorView& indices, int axis);

struct EmbeddingBackwardOptions {
    bool accumulate = false;   ///< adds to what is in table_gradient; false: rows without an index become 0
    std::int64_t padding = -1; ///< rows with this index have no gradient
};

/// The gradient of embedding: table_gradient[r, :] = Σ gradient[…, :] over all places where indices[…] is r. indices of
/// any rank up to 7 whose elements lie evenly spaced (contiguous ones do); gradient has its sizes and then the table's
/// columns.
DEVQ_API Placement embedding_backward(const Queue& queue, const TensorView& table_gradient, const TensorView& gradient,
                                      const TensorView& indices, const EmbeddingBackwardOptions& options = {});

} // namespace devq::ops
