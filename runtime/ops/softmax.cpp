#include "launch.hpp"
#include <devq/ops/softmax.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct softmax_shape of kernels/softmax.cl
struct SoftmaxShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t length, out_stride, in_stride, inner, units, units_per_group;
    std::int32_t rank, stripe, logarithm, unused;
};

/// struct softmax_backward_shape
struct SoftmaxBackwardShape {
    std::array<std::int64_t, max_rank> sizes, a, b, c;
    std::int64_t length, a_stride, b_stride, c_stride, inner, units, units_per_group;
    std::int32_t rank, stripe, logarithm, unused;
};

/// The axes beside the one that is worked along, and how the work is cut.
template <int Operands>
struct Plan {
    Layout<Operands> layout;
    const BuiltinKernel* kernel = nullptr;
    std::int64_t inner = 1, units = 0, stripe = 1;
    Split work;
};

template <int Operands>
Plan<Operands> plan_of(const OpCall& call, const std::array<const TensorView*, Operands>& views, int axis,
                       const char* rows_kernel, const char* columns_kernel) {
    const TensorView& first = *views[0];
    Dims sizes = Dims::filled(first.rank() - 1, 0);
    std::array<Dims, Operands> strides;
    bool along = true; // the axis is contiguous in all
    for (std::size_t o = 0; o < Operands; o++) {
        strides[o] = sizes;
        along = along && views[o]->stride(axis) == 1;
    }
    for (int d = 0, k = 0; d < first.rank(); d++)
        if (d != axis) {
            sizes[k] = first.size(d);
            for (std::size_t o = 0; o < Operands; o++)
                strides[o][k] = views[o]->stride(d);
            k++;
        }
    Plan<Operands> plan;
    plan.layout = collapse<Operands>(sizes, strides);
    const auto last = static_cast<std::size_t>(std::max(plan.layout.rank, 1) - 1);
    bool columns = plan.layout.rank > 0 && !along;
    for (std::size_t o = 0; o < Operands; o++)
        columns = columns && plan.layout.strides[o][last] == 1;
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), "softmax", columns ? columns_kernel : rows_kernel,
                                                 storage_constant(first.dtype()));
    plan.kernel = &kernel;
    if (columns)
        plan.inner = plan.layout.take_inner().size;
    // Stripes as wide as the kernel takes them, but narrow enough that all cores have some.
    std::int64_t vectors = columns ? constant_int(kernel.constants, "STRIPE") : 1;
    const std::int64_t wanted = 2 * std::int64_t{std::max(call.device().info.compute_units, 1u)};
    const auto pieces = [&](std::int64_t width) { return plan.layout.elements() * ((plan.inner + width - 1) / width); };
    while (vectors > 1 && pieces(vectors * kernel.vector) < wanted)
        vectors /= 2;
    plan.stripe = columns ? vectors * kernel.vector : 1;
    plan.units = pieces(plan.stripe);
    constexpr std::int64_t passes = 4; // as dear as so many plain elements
    plan.work = split(call.device(), kernel, plan.units, std::min(plan.stripe, plan.inner) * first.size(axis) * passes,
                      !columns, first.size(axis) / kernel.vector);
    return plan;
}

template <class Shape, int Operands>
void fill_in(Shape& shape, const Plan<Operands>& plan) {
    shape.sizes = plan.layout.sizes;
    shape.rank = plan.layout.rank;
    shape.inner = plan.inner;
    shape.units = plan.units;
    shape.units_per_group = plan.work.units_per_group;
    shape.stripe = static_cast<std::int32_t>(plan.stripe);
}

Placement forward(const Queue& queue, const char* name, const TensorView& out, const TensorView& in, int axis,
                  bool logarithm) {
    const OpCall call(queue, name);
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(target);
    call.same_type(source, target);
    call.sizes_are(source, out.sizes(), "as out's");
    axis = call.axis_of(source, axis);
    call.apart_or_same(target, source);
    if (out.elements() == 0)
        return {};
    const auto plan = plan_of<2>(call, {&out, &in}, axis, "softmax_rows", "softmax_columns");
    SoftmaxShape shape{};
    fill_in(shape, plan);
    shape.out_strides = plan.layout.strides[0];
    shape.in_strides = plan.layout.strides[1];
    shape.length = in.size(axis);
    shape.out_stride = out.stride(axis);
    shape.in_stride = in.stride(axis);
    shape.logarithm = logarithm ? 1 : 0;
    return Launch(call, *plan.kernel).view(target).view(source).value(shape).submit(plan.work.groups, plan.work.local);
}

Placement backward(const Queue& queue, const char* name, const TensorView& in_gradient, const TensorView& out_gradient,
                   const TensorView& out, int axis, bool logarithm) {
    const OpCall call(queue, name);
    const Operand target = call.output("in_gradient", in_gradient), gradient = call.input("out_gradient", out_gradient),
                  result = call.input("out", out);
    call.storage_type(target);
    for (const Operand* const operand : {&gradient, &result}) {
        call.same_type(*operand, target);
        call.sizes_are(*operand, in_gradient.sizes(), "as in_gradient's");
        call.apart_or_same(target, *operand);
    }
    axis = call.axis_of(target, axis);
    if (in_gradient.elements() == 0)
        return {};
    const auto plan = plan_of<3>(call, {&in_gradient, &out_gradient, &out}, axis, "softmax_backward_rows",
                                 "softmax_backward_columns");
    SoftmaxBackwardShape shape{};
    fill_in(shape, plan);
    shape.a = plan.layout.strides[0];
    shape.b = plan.layout.strides[1];
    shape.c = plan.layout.strides[2];
    shape.length = out.size(axis);
    shape.a_stride = in_gradient.stride(axis);
    shape.b_stride = out_gradient.stride(axis);
    shape.c_stride = out.stride(axis);
    shape.logarithm = logarithm ? 1 : 0;
    return Launch(call, *plan.kernel)
        .view(target)
        .view(gradient)
        .view(result)
        .value(shape)
        .submit(plan.work.groups, plan.work.local);
}

} // namespace

Placement softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis) {
    return forward(queue, "softmax", out, in, axis, false);
}

Placement log_softmax(const Queue& queue, const TensorView& out, const TensorView& in, int axis) {
    return forward(queue, "log_softmax", out, in, axis, true);
}

Placement softmax_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                           const TensorView& out, int axis) {
    return backward(queue, "softmax_backward", in_gradient, out_gradient, out, axis, false);
}

Placement log_softmax_backward(const Queue& queue, const TensorView& in_gradient, const TensorView& out_gradient,
                               const TensorView& out, int axis) {
    return backward(queue, "log_softmax_backward", in_gradient, out_gradient, out, axis, true);
}

} // namespace devq::ops
