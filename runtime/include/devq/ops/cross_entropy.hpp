#pragma once
#include <cstdint>
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
///
/// With smoothing s and class weights w (1 where none are given) the loss is PyTorch's: with z = log softmax(x) and C
/// classes, -(1 - s) · w[label] · z[label] - s/C · Σ w[c] · z[c]. (A logit of -inf then costs an infinite loss.)
/// A row whose label is ignore_label has loss 0 and gradient 0, whatever its logits.
///
/// The mean over the rows that are not ignored: count (f32, one element) receives Σ w[label] over them, which without
/// weights is their number; the mean loss is the sum of loss over count, and with divide_by_count the gradient is
/// divided by count too, so that it is the gradient of that mean (scale stays 1 then). A label outside makes count NaN.
/// Where every row is ignored count is 0, the mean NaN as in PyTorch, and the gradient 0.
struct CrossEntropyOptions {
    std::optional<TensorView> gradient{};
    float scale = 1.0f;
    std::optional<TensorView> scale_factor{};
    std::optional<std::int32_t> ignore_label{};
    float label_smoothing = 0.0f;              ///< 0 … 1
    std::optional<TensorView> class_weights{}; ///< f32[classes]
    std::optional<TensorView> count{};
    bool divide_by_count = false; ///< needs count
};
DEVQ_API Placement softmax_cross_entropy(const Queue& queue, const TensorView& loss, const TensorView& logits,
                                         const TensorView& labels, const CrossEntropyOptions& options = {});

} // namespace devq::ops
