#include "launch.hpp"
#include <devq/ops/softmax.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct softmax_shape of kernels/softmax.cl
struct SoftmaxShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t length, out_stride, in_stride, inner, units, units_per_group;
    std::int32_t rank, stripe;
};

} // namespace

Placement softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis) {
    const OpCall call(queue, "softmax");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(target);
    call.same_type(source, target);
    call.sizes_are(source, out.sizes(), "as out's");
    axis = call.axis_of(source, axis);
    call.apart_or_same(target, source);
    if (out.elements() == 0)
        return {};
    SoftmaxShape shape{};
    shape.length = in.size(axis);
    shape.in_stride = in.stride(axis);
    shape.out_stride = out.stride(axis);
    Dims sizes = Dims::filled(in.rank() - 1, 0), in_strides = sizes, out_strides = sizes;
    for (int d = 0, k = 0; d < in.rank(); d++)
        if (d != axis) {
            sizes[k] = in.size(d);
            in_strides[k] = in.stride(d);
            out_strides[k++] = out.stride(d);
        }
    auto layout = collapse<2>(sizes, {out_strides, in_strides});
    const auto last = static_cast<std::size_t>(std::max(layout.rank, 1) - 1);
    const bool columns = layout.rank > 0 && layout.strides[0][last] == 1 && layout.strides[1][last] == 1 &&
                         (shape.in_stride != 1 || shape.out_stride != 1);
    const BuiltinKernel& kernel =
        builtin_kernel(queue, "softmax", columns ? "softmax_columns" : "softmax_rows", storage_constant(in.dtype()));
    shape.inner = columns ? layout.take_inner().size : 1;
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.in_strides = layout.strides[1];
    shape.rank = layout.rank;
    // Stripes as wide as the kernel takes them, but narrow enough that all cores have some.
    std::int64_t vectors = columns ? constant_int(kernel.constants, "STRIPE") : 1;
    const std::int64_t wanted = 2 * std::int64_t{std::max(call.device().info.compute_units, 1u)};
    const auto pieces = [&](std::int64_t width) { return layout.elements() * ((shape.inner + width - 1) / width); };
    while (vectors > 1 && pieces(vectors * kernel.vector) < wanted)
        vectors /= 2;
    const std::int64_t unit = columns ? vectors * kernel.vector : 1;
    shape.stripe = static_cast<std::int32_t>(unit);
    shape.units = pieces(unit);
    constexpr std::int64_t passes = 4; // as dear as so many plain elements
    const Split work = split(call.device(), kernel, shape.units, std::min(unit, shape.inner) * shape.length * passes,
                             !columns, shape.length / kernel.vector);
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
