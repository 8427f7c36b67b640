#include "launch.hpp"
#include "tiles.hpp"
#include "vendor.hpp"
#include <algorithm>
#include <devq/ops/conv2d.hpp>
#include <devq/ops/elementwise.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct conv2d_shape of kernels/conv2d.cl, where the indices are explained
struct Conv2dShape {
    std::int64_t m, n, k, j1, j2, k1, k2;
    std::int64_t a_row, a_k0, a_k1, a_k2, out_row, out_j0, out_j1, out_j2;
    std::int64_t image_k0, image_j0, image_row, image_column, height, width;
    std::int64_t a_group, image_group, out_group, bias_stride;
    std::int64_t a_k1_size, a_k2_size, out_j1_size, out_j2_size;
    std::int64_t blocks_m, blocks_n;
    std::int32_t j_y, j_x, k_y, k_x, from_y, from_x, divide_y, divide_x;
    std::int32_t block_m, block_n, has_bias, activation;
};

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();

void check_number(const OpCall& call, const char* name, std::int64_t value, std::int64_t least) {
    if (value < least || value > int_max)
        call.fail(std::string(name) + " is " + std::to_string(value),
                  "It must be from " + std::to_string(least) + " to 2^31 - 1.");
}

/// The output's size along one axis. Throws where the filter is larger than the padded image, if there are results.
std::int64_t output_size(const OpCall& call, const char* axis, std::int64_t size, std::int64_t filter,
                         std::int64_t before, std::int64_t behind, std::int64_t dilation, std::int64_t stride) {
    // All are at most 2^31 - 1, but for sizes of views without elements.
    const std::int64_t padded = size > int_max ? size : size + before + behind;
    if (padded > int_max)
        call.fail("the image has " + std::to_string(size) + " " + axis + ", " + std::to_string(before + behind) +
                      " more with its padding",
                  "Images of up to 2^31 - 1 rows and columns are supported.");
    if (filter == 0 || filter > padded || dilation > (filter > 1 ? (padded - 1) / (filter - 1) : dilation))
        call.fail("a filter of " + std::to_string(filter) + " " + axis + " (dilation " + std::to_string(dilation) +
                      ") does not fit into an image of " + std::to_string(padded) + ", its padding included",
                  "Use a smaller filter or dilation, or more padding.");
    return (padded - dilation * (filter - 1) - 1) / stride + 1;
}

/// The tensors of a convolution, whichever of them is computed.
void check(const OpCall& call, const Operand& image, const Operand& filter, const Operand& result,
           const Conv2dGeometry& geometry) {
    for (const Operand* operand : {&image, &filter, &result}) {
        call.storage_type(*operand);
        call.same_type(*operand, image);
        call.rank_is(*operand, 4);
    }
    check_number(call, "stride[0]", geometry.stride[0], 1);
    check_number(call, "stride[1]", geometry.stride[1], 1);
    check_number(call, "dilation[0]", geometry.dilation[0], 1);
    check_number(call, "dilation[1]", geometry.dilation[1], 1);
    const Padding2d& padding = geometry.padding;
    check_number(call, "padding.top", padding.top, 0);
    check_number(call, "padding.bottom", padding.bottom, 0);
    check_number(call, "padding.left", padding.left, 0);
    check_number(call, "padding.right", padding.right, 0);
    check_number(call, "groups", geometry.groups, 1);
    if (image->size(1) % geometry.groups != 0 || filter->size(0) % geometry.groups != 0 ||
        filter->size(1) != image->size(1) / geometry.groups)
        call.fail(std::string(image.name) + " is " + image->text() + ", " + filter.name + " " + filter->text() +
                      ", groups " + std::to_string(geometry.groups) + ": the channels do not fit",
                  "The filters' second size must be the image's channels divided by groups, and groups must divide "
                  "the number of filters.");
    const std::int64_t rows = output_size(call, "rows", image->size(2), filter->size(2), padding.top, padding.bottom,
                                          geometry.dilation[0], geometry.stride[0]);
    const std::int64_t columns = output_size(call, "columns", image->size(3), filter->size(3), padding.left,
                                             padding.right, geometry.dilation[1], geometry.stride[1]);
    call.sizes_are(result, Dims{image->size(0), filter->size(0), rows, columns},
                   "images, filters, and the rows and columns that follow from the geometry");
}

// The tensors of a product (see the kernel): `row` and `outer` name axes; the two inner ones are 2 and 3.

void set_sum(Conv2dShape& shape, const TensorView& a, int row, int outer, std::int64_t outer_size) {
    shape.k = outer_size * a.size(2) * a.size(3);
    shape.k1 = shape.a_k1_size = a.size(2);
    shape.k2 = shape.a_k2_size = a.size(3);
    shape.a_row = a.stride(row);
    shape.a_k0 = a.stride(outer);
    shape.a_k1 = a.stride(2);
    shape.a_k2 = a.stride(3);
}

void set_result(Conv2dShape& shape, const TensorView& out, int row, int outer, std::int64_t rows) {
    shape.m = rows;
    shape.n = out.size(outer) * out.size(2) * out.size(3);
    shape.j1 = shape.out_j1_size = out.size(2);
    shape.j2 = shape.out_j2_size = out.size(3);
    shape.out_row = out.stride(row);
    shape.out_j0 = out.stride(outer);
    shape.out_j1 = out.stride(2);
    shape.out_j2 = out.stride(3);
    shape.out_group = rows * out.stride(row);
}

/// @param sum_axis, place_axis what (k0, j0) are in the image
void set_image(Conv2dShape& shape, const TensorView& image, int sum_axis, int place_axis) {
    shape.image_k0 = image.stride(sum_axis);
    shape.image_j0 = image.stride(place_axis);
    shape.image_row = image.stride(2);
    shape.image_column = image.stride(3);
    shape.height = image.size(2);
    shape.width = image.size(3);
}

using Pair = std::array<std::int64_t, 2>;

void set_window(Conv2dShape& shape, const Pair& place, const Pair& sum, const Pair& from, const Pair& divide) {
    const auto narrow = [](std::int64_t x) { return static_cast<std::int32_t>(x); };
    shape.j_y = narrow(place[0]);
    shape.j_x = narrow(place[1]);
    shape.k_y = narrow(sum[0]);
    shape.k_x = narrow(sum[1]);
    shape.from_y = narrow(from[0]);
    shape.from_x = narrow(from[1]);
    shape.divide_y = narrow(divide[0]);
    shape.divide_x = narrow(divide[1]);
}

/// Three nested axes, of `whole` elements, with inner ones as one where memory allows.
void merge(std::int64_t& middle_size, std::int64_t& inner_size, std::int64_t outer, std::int64_t middle,
           std::int64_t& inner, std::int64_t whole) {
    if (inner_size == 1)
        inner = middle;
    if (inner_size == 1 || middle_size == 1 || continues(middle, inner, inner_size)) {
        inner_size *= middle_size;
        middle_size = 1;
        if (inner_size == 1)
            inner = outer;
        if (inner_size == 1 || continues(outer, inner, inner_size))
            inner_size = whole;
    }
}

Placement launch(const OpCall& call, Conv2dShape& shape, std::int64_t groups, const Operand& out, const Operand& a,
                 const Operand& image, const Operand& bias = {}) {
    merge(shape.a_k1_size, shape.a_k2_size, shape.a_k0, shape.a_k1, shape.a_k2, shape.k);
    merge(shape.out_j1_size, shape.out_j2_size, shape.out_j0, shape.out_j1, shape.out_j2, shape.n);
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), "conv2d", "conv2d", storage_constant(out->dtype()));
    const Blocks blocks = choose_blocks(call.device(), kernel, shape.m, shape.n, shape.k, groups);
    shape.block_m = blocks.m;
    shape.block_n = blocks.n;
    shape.blocks_m = blocks.across_m;
    shape.blocks_n = blocks.across_n;
    return Launch(call, kernel)
        .view(out)
        .view_or(a, out)
        .view_or(image, out)
        .view_or(bias, out)
        .value(shape)
        .submit(groups * blocks.across_m * blocks.across_n, blocks.local);
}

using backend::Direction;

/// The tensors of a convolution, whichever of them is computed.
struct Tensors {
    const Operand &image, &filter, &result;
};

/// By the vendor's library. It finds a bias in its result, as one more term of each sum; an activation comes after it.
/// Null: take the portable path.
std::optional<Placement> by_vendor(const OpCall& call, Direction direction, const Tensors& tensors,
                                   const Conv2dGeometry& geometry, const Operand& bias = {},
                                   Activation activation = Activation::none) {
    const VendorPath vendor(call, geometry.path);
    if (!vendor.wanted())
        return std::nullopt;
    const DType type = tensors.result->dtype();
    // What comes after reads a sum that was rounded to the storage type: no loss for relu, nor in f32.
    if (activation != Activation::none && activation != Activation::relu && type != DType::f32)
        return vendor.refuse("its " + std::string(to_string(activation)) +
                             " would come after the library, and see the sum rounded to " +
                             std::string(to_string(type)));
    if (tensors.image->elements() == 0 || tensors.filter->elements() == 0 || tensors.result->elements() == 0)
        return vendor.refuse("libraries take no sum over nothing");
    const auto tensor = [&](const Operand& operand) {
        backend::ConvolutionDescription::Tensor made;
        made.type = type;
        for (int axis = 0; axis < 4; axis++) {
            made.sizes[static_cast<std::size_t>(axis)] = operand->size(axis);
            made.strides[static_cast<std::size_t>(axis)] = operand->stride(axis);
        }
        made.alignment = VendorPath::alignment(operand);
        return made;
    };
    backend::ConvolutionDescription what;
    what.direction = direction;
    what.image = tensor(tensors.image);
    what.filter = tensor(tensors.filter);
    what.result = tensor(tensors.result);
    what.stride = geometry.stride;
    what.dilation = geometry.dilation;
    what.padding_before = {geometry.padding.top, geometry.padding.left};
    what.padding_behind = {geometry.padding.bottom, geometry.padding.right};
    what.groups = geometry.groups;
    what.compute = geometry.tf32 && type == DType::f32 ? backend::Compute::tf32 : backend::Compute::f32;
    what.accumulate = bias.view != nullptr;
    const TensorView& out = *tensors.result;
    const auto path = vendor.run(
        what,
        {VendorPath::place(tensors.image), VendorPath::place(tensors.filter), VendorPath::place(tensors.result), {}},
        [&] {
            if (what.accumulate)
                unary(call.queue(), Unary::copy, out,
                      TensorView(bias->buffer(), type, {bias->size(0), 1, 1}, {bias->stride(0), 0, 0}, bias->offset()));
        });
    if (!path)
        return std::nullopt;
    if (activation == Activation::none)
        return Placement{*path, what.accumulate ? "bias first" : ""};
    const Follower after = follower(activation);
    unary(call.queue(), after.function, out, out);
    return Placement{*path, what.accumulate ? after.told_with_bias : after.told};
}

} // namespace

Placement conv2d(const Queue& queue, const TensorView& out, const TensorView& in, const TensorView& weights,
                 const Conv2dOptions& options) {
    const OpCall call(queue, "conv2d");
    const Operand target = call.output("out", out), image = call.input("in", in),
                  filter = call.input("weights", weights);
    call.known("activation", options.activation);
    check(call, image, filter, target, options);
    call.apart(target, image);
    call.apart(target, filter);
    Conv2dShape shape{};
    Operand bias;
    if (options.bias) {
        bias = call.input("bias", *options.bias);
        call.same_type(bias, target);
        call.sizes_are(bias, Dims{out.size(1)}, "the output's channels");
        call.apart(target, bias);
        shape.bias_stride = bias->stride(0);
        shape.has_bias = 1;
    }
    if (out.elements() == 0)
        return {};
    if (const auto placement =
            by_vendor(call, Direction::forward, {image, filter, target}, options, bias, options.activation))
        return *placement;
    shape.activation = static_cast<std::int32_t>(options.activation);
    set_sum(shape, weights, 0, 1, weights.size(1));
    set_result(shape, out, 1, 0, weights.size(0) / options.groups);
    set_image(shape, in, 1, 0);
    shape.a_group = shape.m * shape.a_row;
    shape.image_group = weights.size(1) * shape.image_k0;
    set_window(shape, options.stride, options.dilation, {-options.padding.top, -options.padding.left}, {1, 1});
    return launch(call, shape, options.groups, target, filter, image, bias);
}

Placement conv2d_backward_data(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                               const TensorView& weights, const Conv2dGeometry& geometry) {
    const OpCall call(queue, "conv2d_backward_data");
    const Operand target = call.output("in_gradient", in_gradient), image = call.input("out_gradient", out_gradient),
                  filter = call.input("weights", weights);
    check(call, target, filter, image, geometry);
    call.apart(target, image);
    call.apart(target, filter);
    if (in_gradient.elements() == 0)
        return {};
    if (const auto placement = by_vendor(call, Direction::backward_data, {target, filter, image}, geometry))
        return *placement;
    const std::int64_t channels = weights.size(0) / geometry.groups;
    Conv2dShape shape{};
    set_sum(shape, weights, 1, 0, channels);
    set_result(shape, in_gradient, 1, 0, weights.size(1));
    set_image(shape, out_gradient, 1, 0);
    shape.a_group = channels * shape.a_k0;
    shape.image_group = channels * shape.image_k0;
    set_window(shape, {1, 1}, {-geometry.dilation[0], -geometry.dilation[1]},
               {geometry.padding.top, geometry.padding.left}, geometry.stride);
    return launch(call, shape, geometry.groups, target, filter, image);
}

Placement conv2d_backward_filter(const Queue& queue, const TensorView& weights_gradient, const TensorView& in,
                                 const TensorView& out_gradient, const Conv2dGeometry& geometry) {
    const OpCall call(queue, "conv2d_backward_filter");
    const Operand target = call.output("weights_gradient", weights_gradient), image = call.input("in", in),
                  gradient = call.input("out_gradient", out_gradient);
    check(call, image, target, gradient, geometry);
    call.apart(target, image);
    call.apart(target, gradient);
    if (weights_gradient.elements() == 0)
        return {};
    if (const auto placement = by_vendor(call, Direction::backward_filter, {image, target, gradient}, geometry))
        return *placement;
    Conv2dShape shape{};
    set_sum(shape, out_gradient, 1, 0, out_gradient.size(0));
    set_result(shape, weights_gradient, 0, 1, weights_gradient.size(0) / geometry.groups);
    set_image(shape, in, 0, 1);
    shape.a_group = shape.m * shape.a_row;
    shape.image_group = weights_gradient.size(1) * shape.image_j0;
    set_window(shape, geometry.dilation, geometry.stride, {-geometry.padding.top, -geometry.padding.left}, {1, 1});
    return launch(call, shape, geometry.groups, target, gradient, image);
}

} // namespace devq::ops
