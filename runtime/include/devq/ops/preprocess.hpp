#pragma once
#include <array>
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>
#include <string_view>

namespace devq::ops {

enum class Resampling {
    nearest,            ///< the pixel in which the position lies (Pillow's NEAREST, PyTorch's nearest-exact)
    bilinear,           ///< between the four pixels around the position (half-pixel centres: align_corners=False)
    bilinear_antialias, ///< where it shrinks, a triangle as wide as the step (Pillow's BILINEAR, PyTorch's
                        ///< antialias=True)
};
DEVQ_API std::string_view to_string(Resampling method) noexcept;

struct ResizeNormalizeOptions {
    Resampling method = Resampling::bilinear_antialias;
    /// f32 [images of out, 4], contiguous: (y0, x0, y1, x1) in pixels, (0, 0, rows, columns) being all of an image. An
    /// end before its beginning mirrors. A box reads only pixels that it touches, as if the image had been cut to it
    /// first; where it leaves the image, the pixels at the edge go on. NaN stands for the image's own edge; numbers
    /// beyond ±2²⁰ count as ±2²⁰. Without boxes: the whole image.
    std::optional<TensorView> boxes{};
    /// i32 [images of out], contiguous: which image of `in` each is made from; where there is no such image, out
    /// becomes NaN. Without it: each from its own, or all from the only one.
    std::optional<TensorView> images{};
    std::optional<TensorView> flip{}; ///< u8 [images of out], contiguous: not 0 flips left and right
    bool swap_red_blue = false;       ///< RGB ↔ BGR: out's first channel is in's third and the reverse
    std::array<float, 4> mean{0, 0, 0, 0}, std{1, 1, 1, 1}; ///< for each channel of out
};

/// Crop, resize, flip, order of colours and normalisation of images of bytes in one pass: out[n, c, y, x] = (value /
/// 255
/// - mean[c]) / std[c]. in: u8 [images, rows, columns, channels], 1, 3 or 4 channels, up to 2²⁰ rows and columns; out:
/// f32, f16 or bf16 [images, channels, rows, columns]; both any strides. An out that lies in memory as NHWC is passed
/// as view.transposed(1, 3).transposed(2, 3). Arithmetic is f32, without a rounding between the axes; positions are
/// multiples of 2⁻⁴⁰ pixel, the same on every device.
DEVQ_API Placement resize_normalize(const Queue& queue, const TensorView& out, const TensorView& in,
                                    const ResizeNormalizeOptions& options = {});

} // namespace devq::ops
