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
};

/// g = gradient + weight_decay · master; velocity = momentum · velocity + g; master -= learning_rate · velocity
/// (PyTorch's SGD, no dampening, no Nesterov). master and velocity are f32; gradient is f32, f16 or bf16; weights, of
/// gradient's type, receives a rounded copy of master (it may be master itself when the type is f32). All contiguous,
/// of the same sizes.
DEVQ_API Placement sgd(const Queue& queue, const TensorView& weights, const TensorView& master,
                       const TensorView& velocity, const TensorView& gradient, const SgdOptions& options);

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
