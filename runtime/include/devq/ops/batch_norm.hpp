#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>

namespace devq::ops {

/// Batch normalisation (Ioffe, Szegedy 2015) of views [images, channels, ...] of rank 2 to 8, as PyTorch's: every
/// channel has a mean and a variance of its own, over all other axes. `in`, `out` and their gradients are f32, f16 or
/// bf16, all of one type, of any strides (NHWC in memory: view.transposed(1, 3).transposed(2, 3)); whatever there is
/// one of for each channel is f32[channels], contiguous. Arithmetic in f32. A channel with NaN or infinity becomes NaN.
/// Without channels there is nothing to do.

struct BatchNormOptions {
    std::optional<TensorView> gamma{}, beta{}; ///< 1 and 0 where left out
    float epsilon = 1e-5f;                     ///< ≥ 0
};

/// For inference: out = (in - mean[c]) / √(variance[c] + epsilon) · gamma[c] + beta[c]. In place where out and in are
/// the same view.
DEVQ_API Placement batch_norm(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& mean,
                              const TensorView& variance, const BatchNormOptions& options = {});

struct BatchNormTraining : BatchNormOptions {
    /// Both or neither: running = (1 - momentum) · running + momentum · that of the batch; the variance with n - 1 in
    /// place of n.
    std::optional<TensorView> running_mean{}, running_variance{};
    float momentum = 0.1f; ///< 0 to 1
};

/// The same with the batch's own statistics, which go to `mean` and `inverse_deviation` (1 / √(variance + epsilon)) for
/// the backward pass; the variance is Σ(in - mean)² / n, from a second look at the data, so that a mean far larger than
/// the deviation does no harm. Over nothing, or with running statistics over one element a channel: invalid_argument.
/// In place where out and in are the same view, but batch_norm_backward needs `in`.
DEVQ_API Placement batch_norm_training(const Queue& queue, const TensorView& out, const TensorView& in,
                                       const TensorView& mean, const TensorView& inverse_deviation,
                                       const BatchNormTraining& options = {});

/// The gradients of batch_norm_training from that of its output; with x̂ = (in - mean) · inverse_deviation, sums over
/// all but the channel:
///     beta_gradient = Σ out_gradient;  gamma_gradient = Σ out_gradient · x̂
///     in_gradient = gamma · inverse_deviation · (out_gradient - beta_gradient / n - x̂ · gamma_gradient / n)
/// All three are written. in_gradient may be the same view as out_gradient or in.
DEVQ_API Placement batch_norm_backward(const Queue& queue, const TensorView& in_gradient,
                                       const TensorView& gamma_gradient, const TensorView& beta_gradient,
                                       const TensorView& out_gradient, const TensorView& in, const TensorView& mean,
                                       const TensorView& inverse_deviation,
                                       const std::optional<TensorView>& gamma = {});

} // namespace devq::ops
