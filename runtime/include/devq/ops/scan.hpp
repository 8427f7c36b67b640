#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

struct ScanOptions {
    int axis = -1;          ///< negative counts from the end
    bool exclusive = false; ///< without the element itself: the first is 0
    bool reverse = false;   ///< from the end: the sums over j ≥ i (j > i), which is also the gradient of a scan
};

/// out[…, i, …] = Σ in[…, j, …] over j ≤ i (j < i when exclusive), as PyTorch's cumsum. f32, f16 or bf16 (summed in
/// f32, each result rounded once) or i32 (modulo 2³²; PyTorch makes i64 of it), both of one type and the same sizes;
/// any strides, every other axis a batch. NaN and infinity reach all results that have them among their terms, and no
/// others. In place where out and in are the same view. A fixed order of additions; long rows are shared out in blocks.
DEVQ_API Placement scan(const Queue& queue, const TensorView& out, const TensorView& in,
                        const ScanOptions& options = {});

} // namespace devq::ops
