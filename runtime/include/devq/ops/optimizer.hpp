#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>

namespace devq::ops {

struct SgdOptions {
    float learning_rate = 0.1f;
    float momentum = 0.0f;
    float weight_decay = 0.0f;
    /// f32[1] on the device: where it is not 0 nothing is updated (see unscale).
    std::optional<TensorView> skip{};
    bool nesterov = false;
};

/// g = gradient + weight_decay · master; velocity = momentum · velocity + g; master -= learning_rate · velocity, with
/// nesterov: master -= learning_rate · (g + momentum · velocity) (PyTorch's SGD without dampening). master and velocity
/// are f32; gradient is f32, f16 or bf16; weights, of gradient's type, receives a rounded copy of master (it may be
/// master itself when the type is f32). All contiguous, of the same sizes.
DEVQ_API Placement sgd(const Queue& queue, const TensorView& weights, const TensorView& master,
                       const TensorView& velocity, const TensorView& gradient, const SgdOptions& options);

/// Numbers that the bias correction needs exactly (1 - beta2, say) come as double and are rounded to f32 at the end.
struct AdamOptions {
    double learning_rate = 1e-3;
    double beta1 = 0.9, beta2 = 0.999; ///< 0 ≤ beta < 1
    double epsilon = 1e-8;
    double weight_decay = 0; ///< PyTorch's AdamW starts from 0.01
    /// Number of this update, from 1, for the bias correction; not looked at where `steps` is given.
    std::int64_t step = 1;
    /// i32[1] on the device: the number of this update, kept by count_step(), so that skipped ones do not count.
    std::optional<TensorView> steps{};
    /// f32[1] on the device: where it is not 0 nothing is updated (see unscale).
    std::optional<TensorView> skip{};
};

/// Adam (Kingma, Ba 2015), as PyTorch's Adam without amsgrad: with t = step,
///     g = gradient + weight_decay · master
///     first = beta1 · first + (1 - beta1) · g;  second = beta2 · second + (1 - beta2) · g²
///     master -= learning_rate / (1 - beta1^t) · first / (√(second / (1 - beta2^t)) + epsilon)
/// master, first and second (moments, 0 before the first update) are f32; gradient is f32, f16 or bf16; weights, of
/// gradient's type, receives a rounded copy of master (it may be master itself when the type is f32). All contiguous,
/// of the same sizes, none over another. A gradient of NaN or infinity makes NaN; a count of 0 in `steps` does, too.
DEVQ_API Placement adam(const Queue& queue, const TensorView& weights, const TensorView& master,
                        const TensorView& first, const TensorView& second, const TensorView& gradient,
                        const AdamOptions& options);

/// The same with decoupled weight decay (Loshchilov, Hutter 2019; PyTorch's AdamW): g = gradient, and before the update
/// master *= 1 - learning_rate · weight_decay.
DEVQ_API Placement adamw(const Queue& queue, const TensorView& weights, const TensorView& master,
                         const TensorView& first, const TensorView& second, const TensorView& gradient,
                         const AdamOptions& options);

/// steps[0] += 1, except where skip[0] ≠ 0. Once an update, before adam() or adamw() of all tensors that share the
/// count. steps: i32[1]; skip: f32[1].
DEVQ_API Placement count_step(const Queue& queue, const TensorView& steps, const std::optional<TensorView>& skip = {});

/// gradient *= inverse_scale[0], in place (f32, f16 or bf16, any strides but 0); where any element is inf or NaN before
/// or after, found[0] becomes 1 (it is never set to 0 here, so that several tensors share one flag). inverse_scale,
/// found: f32[1].
DEVQ_API Placement unscale(const Queue& queue, const TensorView& gradient, const TensorView& inverse_scale,
                           const TensorView& found);

/// Dynamic loss scaling on the device, as PyTorch's GradScaler does it: where found[0] ≠ 0: scale *= 0.5, good_steps =
/// 0; else good_steps += 1 and at growth_interval: scale *= 2, good_steps = 0. Then inverse_scale = 1/scale and found =
/// 0. All f32[1].
DEVQ_API Placement update_loss_scale(const Queue& queue, const TensorView& scale, const TensorView& inverse_scale,
                                     const TensorView& good_steps, const TensorView& found,
                                     float growth_interval = 2000);

} // namespace devq::ops
