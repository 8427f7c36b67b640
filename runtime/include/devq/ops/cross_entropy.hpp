#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>

namespace devq::ops {

/// Softmax cross-entropy of logits[rows, classes] (f32, f16 or bf16) against labels[rows] (i32, 0 ≤ label < classes; a
/// label outside gives NaN for its row: nothing is read out of bounds).
/// loss[rows] (f32) = log Σ exp(x - max) + max - x[label]: one value a row, so that the mean is a reduce away.
/// gradient[rows, classes] (logits' type), written where asked for: (softmax - onehot) · scale · *scale_factor,
/// where scale is a number (1/rows for a mean loss) and scale_factor an optional f32 tensor of one element on the
/// device (the loss scale). gradient may be the same view as logits.
struct CrossEntropyOptions {
    std::optional<TensorView> gradient{};
    float scale = 1.0f;
    std::optional<TensorView> scale_factor{};
};
DEVQ_API Placement softmax_cross_entropy(const Queue& queue, const TensorView& loss, const TensorView& logits,
                                         const TensorView& labels, const CrossEntropyOptions& options = {});

} // namespace devq::ops
