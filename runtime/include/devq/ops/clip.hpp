#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <span>

namespace devq::ops {

/// Clips the gradients of a whole model to a global norm (torch.nn.utils.clip_grad_norm_): norm[0] = √Σ x² over all
/// elements of all `gradients`, then every gradient *= min(1, max_norm / (norm + 1e-6)), in place. Each gradient: f32,
/// f16 or bf16, any strides but 0, none over another; no elements, or no gradients at all, is a norm of 0. norm:
/// f32[1]. The sum is f32 in a fixed order that does not depend on the number of cores: the same bits at every run on a
/// device. It overflows to infinity from a norm of 1.8·10¹⁹ on. Infinity in a gradient makes its element NaN and all
/// others 0; NaN makes all NaN: see `skip` of the optimisers. Nothing waits: the norm stays on the device.
DEVQ_API Placement clip_norm(const Queue& queue, std::span<const TensorView> gradients, const TensorView& norm,
                             double max_norm);

} // namespace devq::ops
