#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>

namespace devq::ops {

/// Mean-square loss of x against target: both f32, f16 or bf16, of one type and the same sizes, any strides; f32
/// inside. loss (f32) is of one element, the mean of (x - target)² over all of them, or, with per_element, of x's
/// sizes. gradient (x's type and sizes), written where asked for: 2 · (x - target) · scale · *scale_factor, and over
/// the number of elements unless per_element; scale_factor is an optional f32 tensor of one element on the device (the
/// loss scale). gradient may be the same view as x or as target. The mean's order of summation is the same on every run
/// of a device. A mean over nothing is invalid_argument; per_element on nothing does nothing.
struct MseOptions {
    std::optional<TensorView> gradient{};
    float scale = 1.0f;
    std::optional<TensorView> scale_factor{};
    bool per_element = false;
};
DEVQ_API Placement mse_loss(const Queue& queue, const TensorView& loss, const TensorView& x, const TensorView& target,
                            const MseOptions& options = {});

} // namespace devq::ops
