#pragma once
#include <array>
#include <cstdint>
#include <devq/ops/matmul.hpp>

namespace devq::ops {

/// Zeros around an image. The four sides may differ.
struct Padding2d {
    std::int64_t top = 0, bottom = 0, left = 0, right = 0;
};

/// How the filter meets the image, and how that is computed. An output has (size + padding - dilation·(filter - 1) - 1)
/// / stride + 1 rows, rounded down, and columns alike.
struct Conv2dGeometry {
    std::array<std::int64_t, 2> stride{1, 1};   ///< down, across; ≥ 1
    std::array<std::int64_t, 2> dilation{1, 1}; ///< distance of the filter's taps, down and across; ≥ 1
    Padding2d padding{};
    /// Input and output channels are cut into so many groups, each of which sees its own only; depthwise: as many as
    /// input channels.
    std::int64_t groups = 1;
    Path path = Path::automatic;
    bool tf32 = false; ///< as for matmul
};

struct Conv2dOptions : Conv2dGeometry {
    std::optional<TensorView> bias{}; ///< one for each output channel; dtype of out
    Activation activation = Activation::none;
};

/// The three below take views in the order [image, channel, row, column] whatever their strides: a tensor that lies in
/// memory as NHWC is passed as view.transposed(1, 3).transposed(2, 3). Filters are [output channel, input channel of
/// the group, row, column]. f32, f16 or bf16, all of one type; accumulated in f32. An image with its padding has fewer
/// than 2³¹ rows and columns. The result overlaps no input. No images and no channels are valid: a sum over nothing
/// is 0. A tap on the padding counts as weight · 0, in conv2d_backward_data also one that no output has: an infinite
/// weight makes NaN there (on the portable path; a vendor's library may leave such taps out).

/// out[n, oc, y, x] = activation(Σ in[n, ic, y·stride + ky·dilation - top, …] · weights[oc, ic, ky, kx] + bias[oc])
/// (a cross-correlation, as is usual for networks).
DEVQ_API Placement conv2d(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& weights,
                          const Conv2dOptions& options = {});

/// The gradient of conv2d's input, from that of its output (before bias and activation) and its weights. Every element
/// is written, with 0 where no output depends on it.
DEVQ_API Placement conv2d_backward_data(const Queue& queue, const TensorView& in_gradient,
                                        const TensorView& out_gradient, const TensorView& weights,
                                        const Conv2dGeometry& geometry = {});

/// The gradient of conv2d's weights, from its input and the gradient of its output, summed over the images.
DEVQ_API Placement conv2d_backward_filter(const Queue& queue, const TensorView& weights_gradient, const TensorView& in,
                                          const TensorView& out_gradient, const Conv2dGeometry& geometry = {});

} // namespace devq::ops
