#include "launch.hpp"
#include <cmath>
#include <devq/ops/preprocess.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct preprocess_shape of kernels/preprocess.cl
struct PreprocessShape {
    std::int64_t in_image, in_row, in_pixel, in_channel;
    std::int64_t out_image, out_channel, out_row, out_pixel;
    std::int64_t units, units_per_group;
    std::int32_t images, rows, columns, channels, out_rows, out_columns;
    std::int32_t has_boxes, has_images, has_flip, swap, bilinear, packed;
    std::array<float, 4> scale, offset;
};

constexpr std::int64_t most_pixels = 1 << 20; // down and across

} // namespace

std::string_view to_string(Resampling method) noexcept {
    return name_in({"nearest", "bilinear", "bilinear_antialias"}, method);
}

Placement resize_normalize(const Queue& queue, const TensorView& out, const TensorView& in,
                           const ResizeNormalizeOptions& options) {
    const OpCall call(queue, "resize_normalize");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(target);
    call.type_is(source, {DType::u8});
    call.rank_is(target, 4);
    call.rank_is(source, 4);
    call.apart(target, source);
    call.known("method", options.method);
    const std::int64_t count = out.size(0), channels = in.size(3);
    if (channels != 1 && channels != 3 && channels != 4)
        call.fail("in is " + in.text() + ": " + std::to_string(channels) + " channels",
                  "in is [images, rows, columns, channels] with 1, 3 or 4 channels.");
    if (out.size(1) != channels)
        call.fail("out is " + out.text() + ", in is " + in.text() + ": their channels differ",
                  "out is [images, channels, rows, columns], in is [images, rows, columns, channels].");
    if (options.swap_red_blue && channels == 1)
        call.fail("swap_red_blue with one channel", "Only images of 3 or 4 channels have an order of colours.");
    for (const auto& [size, what] : {std::pair{in.size(1), "rows of in"},
                                     {in.size(2), "columns of in"},
                                     {out.size(2), "rows of out"},
                                     {out.size(3), "columns of out"}})
        if (size > most_pixels)
            call.fail(std::to_string(size) + " " + what, "Cut the image: 2^20 is the most.");
    for (const std::int64_t images : {in.size(0), count})
        if (images > 0x7fffffff)
            call.fail(std::to_string(images) + " images", "Use several calls: 2^31 - 1 is the most.");
    PreprocessShape shape{};
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); c++) {
        const double deviation = options.std[c], mean = options.mean[c];
        if (!(std::isfinite(deviation) && deviation != 0 && std::isfinite(mean)))
            call.fail("mean[" + std::to_string(c) + "] is " + std::to_string(mean) + ", std " +
                          std::to_string(deviation),
                      "Both are finite, and std is not 0.");
        shape.scale[c] = static_cast<float>(1 / (255 * deviation));
        shape.offset[c] = static_cast<float>(-mean / deviation);
    }
    const auto for_each_image = [&](const char* name, const std::optional<TensorView>& view, DType type,
                                    const Dims& sizes) {
        Operand operand;
        if (view) {
            operand = call.input(name, *view);
            call.type_is(operand, {type});
            call.sizes_are(operand, sizes, "out having so many images");
            call.contiguous(operand);
            call.apart(target, operand);
        }
        return operand;
    };
    const Operand boxes = for_each_image("boxes", options.boxes, DType::f32, {count, 4}),
                  images = for_each_image("images", options.images, DType::i32, {count}),
                  flip = for_each_image("flip", options.flip, DType::u8, {count});
    if (!options.images && in.size(0) != count && in.size(0) != 1)
        call.fail("in has " + std::to_string(in.size(0)) + " images, out " + std::to_string(count),
                  "As many as out, or one; else say in options.images which one each is made from.");
    if (out.elements() == 0)
        return {};
    if (in.size(1) == 0 || in.size(2) == 0)
        call.fail("in is " + in.text() + ": an image without pixels", "Nothing can be made from it.");
    shape.in_image = in.size(0) == 1 && !options.images ? 0 : in.stride(0);
    shape.in_row = in.stride(1);
    shape.in_pixel = in.stride(2);
    shape.in_channel = in.stride(3);
    shape.out_image = out.stride(0);
    shape.out_channel = out.stride(1);
    shape.out_row = out.stride(2);
    shape.out_pixel = out.stride(3);
    shape.images = static_cast<std::int32_t>(in.size(0));
    shape.rows = static_cast<std::int32_t>(in.size(1));
    shape.columns = static_cast<std::int32_t>(in.size(2));
    shape.channels = static_cast<std::int32_t>(channels);
    shape.out_rows = static_cast<std::int32_t>(out.size(2));
    shape.out_columns = static_cast<std::int32_t>(out.size(3));
    shape.has_boxes = options.boxes ? 1 : 0;
    shape.has_images = options.images ? 1 : 0;
    shape.has_flip = options.flip ? 1 : 0;
    shape.swap = options.swap_red_blue ? 1 : 0;
    shape.bilinear = options.method == Resampling::bilinear ? 1 : 0;
    shape.packed = (channels == 1 || in.stride(3) == 1) && in.stride(2) == channels ? 1 : 0;
    shape.units = count * out.size(2);
    const bool antialias = options.method == Resampling::bilinear_antialias;
    const BuiltinKernel& kernel = builtin_kernel(
        queue, "preprocess", antialias ? "preprocess_filter" : "preprocess_points", storage_constant(out.dtype()));
    constexpr std::int64_t dear = 16; // an element is as dear as so many plain ones
    const Split work = split(call.device(), kernel, shape.units, out.size(3) * channels * dear, true, out.size(3));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(target)
        .view_or(source, target)
        .view_or(boxes, target)
        .view_or(images, target)
        .view_or(flip, target)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
