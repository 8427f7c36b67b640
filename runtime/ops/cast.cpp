#include "launch.hpp"
#include <devq/ops/cast.hpp>
#include <devq/ops/elementwise.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct cast_shape of kernels/cast.cl
struct CastShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t inner, out_inner, in_inner, outer, units, units_per_group;
    std::int32_t rank, down;
};

std::string_view constants_of(DType from, DType to) {
    if (from == DType::f32)
        return to == DType::f16 ? "FROM=f32 TO=f16" : "FROM=f32 TO=bf16";
    if (from == DType::f16)
        return to == DType::f32 ? "FROM=f16 TO=f32" : "FROM=f16 TO=bf16";
    return to == DType::f32 ? "FROM=bf16 TO=f32" : "FROM=bf16 TO=f16";
}

} // namespace

Placement cast(const Queue& queue, const TensorView& out, const TensorView& in) {
    const OpCall call(queue, "cast");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(target);
    call.storage_type(source);
    const Dims in_strides = call.broadcast_strides(source, target);
    call.apart(target, source);
    if (out.elements() == 0)
        return {};
    if (in.dtype() == out.dtype())
        return unary(queue, Unary::copy, out, in);
    const BuiltinKernel& kernel = builtin_kernel(queue, "cast", "cast", constants_of(in.dtype(), out.dtype()));
    auto layout = collapse<2>(out.sizes(), {out.strides(), in_strides});
    const auto inner = layout.take_inner();
    CastShape shape{};
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.in_strides = layout.strides[1];
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.in_inner = inner.strides[1];
    shape.rank = layout.rank;
    const std::int64_t unit = kernel.vector * kernel.unroll;
    shape.outer = layout.elements();
    shape.down = shape.in_inner > 1;
    shape.units = shape.outer * ((shape.inner + unit - 1) / unit);
    const Split work = split(call.device(), kernel, shape.units, std::min(unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
