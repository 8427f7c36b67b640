#include "bits.hpp"
#include "launch.hpp"
#include <devq/ops/where.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct where_shape of kernels/where.cl
struct WhereShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, c_strides, a_strides, b_strides;
    std::int64_t inner, out_inner, c_inner, a_inner, b_inner, units, units_per_group;
    std::uint64_t mask;
    std::int32_t rank, unit, bytes, unused;
};

/// All bits of an element, but not the sign of a floating one: -0 is 0.
std::uint64_t counting_bits(DType type) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
    return is_floating(type) ? all >> 1 : all;
}

} // namespace

Placement where(const Queue& queue, const TensorView& out, const TensorView& condition, const TensorView& a,
                const TensorView& b) {
    const OpCall call(queue, "where");
    const Operand target = call.output("out", out), chooser = call.input("condition", condition),
                  left = call.input("a", a), right = call.input("b", b);
    call.same_type(left, target);
    call.same_type(right, target);
    if (condition.dtype() != out.dtype())
        call.type_is(chooser, {DType::u8, out.dtype()});
    const Dims c_strides = call.broadcast_strides(chooser, target), a_strides = call.broadcast_strides(left, target),
               b_strides = call.broadcast_strides(right, target);
    call.apart_or_same(target, left);
    call.apart_or_same(target, right);
    if (condition.dtype() == out.dtype())
        call.apart_or_same(target, chooser);
    else
        call.apart(target, chooser);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(queue, "where", "where", size_constant(out.dtype()));
    auto layout = collapse<4>(out.sizes(), {out.strides(), c_strides, a_strides, b_strides});
    const auto inner = layout.take_inner();
    WhereShape shape{};
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.c_strides = layout.strides[1];
    shape.a_strides = layout.strides[2];
    shape.b_strides = layout.strides[3];
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.c_inner = inner.strides[1];
    shape.a_inner = inner.strides[2];
    shape.b_inner = inner.strides[3];
    shape.rank = layout.rank;
    shape.bytes = condition.dtype() != out.dtype() || size_of(out.dtype()) == 1;
    shape.mask = counting_bits(out.dtype());
    shape.unit = run_length(kernel.group, false);
    shape.units = layout.elements() * ((shape.inner + shape.unit - 1) / shape.unit);
    const Split work = split(call.device(), kernel, shape.units, std::min<std::int64_t>(shape.unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel)
        .view(target)
        .view(chooser)
        .view(left)
        .view(right)
        .value(shape)
        .submit(work.groups, work.local);
}

} // namespace devq::ops
