#include "launch.hpp"
#include <devq/ops/elementwise.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct elementwise_shape of kernels/elementwise.cl
struct ElementwiseShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, a_strides, b_strides;
    std::int64_t inner, out_inner, a_inner, b_inner, outer, units, units_per_group;
    std::int32_t rank, op, down, unused;
};

template <int Operands>
Split lay_out(ElementwiseShape& shape, const OpCall& call, const BuiltinKernel& kernel, Layout<Operands> layout,
              int op) {
    const auto inner = layout.take_inner();
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.a_strides = layout.strides[1];
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.a_inner = inner.strides[1];
    if constexpr (Operands == 3) {
        shape.b_strides = layout.strides[2];
        shape.b_inner = inner.strides[2];
    }
    shape.rank = layout.rank;
    shape.op = op;
    const std::int64_t unit = kernel.vector * kernel.unroll;
    shape.outer = layout.elements();
    shape.down = shape.a_inner > 1 || shape.b_inner > 1;
    shape.units = shape.outer * ((shape.inner + unit - 1) / unit);
    const Split work = split(call.device(), kernel, shape.units, std::min(unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return work;
}

} // namespace

std::string_view to_string(Unary op) noexcept {
    return name_in({"copy", "negate", "abs", "square", "sqrt", "rsqrt", "reciprocal", "exp", "log", "tanh", "sigmoid",
                    "relu", "gelu", "gelu_tanh", "silu"},
                   op);
}

std::string_view to_string(Binary op) noexcept {
    return name_in({"add", "subtract", "multiply", "divide", "maximum", "minimum", "relu_backward"}, op);
}

Placement unary(const Queue& queue, Unary op, const TensorView& out, const TensorView& in) {
    const OpCall call(queue, "unary");
    call.known("op", op);
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(target);
    call.same_type(source, target);
    const Dims in_strides = call.broadcast_strides(source, target);
    call.apart_or_same(target, source);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(queue, "elementwise", "unary", storage_constant(out.dtype()));
    ElementwiseShape shape{};
    const Split work =
        lay_out<2>(shape, call, kernel, collapse<2>(out.sizes(), {out.strides(), in_strides}), static_cast<int>(op));
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

Placement binary(const Queue& queue, Binary op, const TensorView& out, const TensorView& a, const TensorView& b) {
    const OpCall call(queue, "binary");
    call.known("op", op);
    const Operand target = call.output("out", out), left = call.input("a", a), right = call.input("b", b);
    call.storage_type(target);
    call.same_type(left, target);
    call.same_type(right, target);
    const Dims a_strides = call.broadcast_strides(left, target), b_strides = call.broadcast_strides(right, target);
    call.apart_or_same(target, left);
    call.apart_or_same(target, right);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(queue, "elementwise", "binary", storage_constant(out.dtype()));
    ElementwiseShape shape{};
    const Split work = lay_out<3>(shape, call, kernel, collapse<3>(out.sizes(), {out.strides(), a_strides, b_strides}),
                                  static_cast<int>(op));
    return Launch(call, kernel).view(target).view(left).view(right).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
