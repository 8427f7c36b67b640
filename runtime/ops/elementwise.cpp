#include "launch.hpp"
#include <devq/ops/elementwise.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct elementwise_shape of kernels/prelude/units.cl
struct ElementwiseShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, a_strides, b_strides;
    std::int64_t inner, out_inner, a_inner, b_inner, outer, units, units_per_group;
    std::int32_t rank, op, down, bytes;
    float p0, p1;
};

/// What kernels/prelude/units.cl names behind the enumerations' own.
constexpr int op_clamp = static_cast<int>(Unary::is_finite) + 1, op_leaky_relu = op_clamp + 1, op_elu = op_clamp + 2;
constexpr int op_leaky_relu_backward = static_cast<int>(Binary::logical_xor) + 1;

struct KernelName {
    const char *file, *kernel;
};

KernelName unary_kernel(int op) {
    if (op == op_elu || (op >= static_cast<int>(Unary::sin) && op <= static_cast<int>(Unary::mish)))
        return {"elementwise_math", "unary_math"};
    if (op >= static_cast<int>(Unary::logical_not) && op <= static_cast<int>(Unary::is_finite))
        return {"compare", "test"};
    return {"elementwise", "unary"};
}

KernelName binary_kernel(int op) {
    if (op >= static_cast<int>(Binary::pow) && op <= static_cast<int>(Binary::gelu_tanh_backward))
        return {"elementwise_math", "binary_math"};
    if (op >= static_cast<int>(Binary::equal) && op <= static_cast<int>(Binary::logical_xor))
        return {"compare", "compare"};
    return {"elementwise", "binary"};
}

template <int Operands>
Split lay_out(ElementwiseShape& shape, const OpCall& call, const BuiltinKernel& kernel, Layout<Operands> layout) {
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
    const std::int64_t unit = kernel.vector * kernel.unroll;
    shape.outer = layout.elements();
    shape.down = shape.a_inner > 1 || shape.b_inner > 1;
    shape.units = shape.outer * ((shape.inner + unit - 1) / unit);
    const Split work = split(call.device(), kernel, shape.units, std::min(unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return work;
}

/// `truth`: the results are 1 and 0, and may be bytes.
void check_types(const OpCall& call, const Operand& target, const Operand& source, bool truth) {
    if (truth && target->dtype() == DType::u8)
        return call.storage_type(source);
    if (truth)
        call.type_is(target, {DType::f32, DType::f16, DType::bf16, DType::u8});
    else
        call.storage_type(target);
    call.same_type(source, target);
}

/// The same places only where an element is read before the bytes of its result are written: not of another size.
void check_places(const OpCall& call, const Operand& target, const Operand& source) {
    if (target->dtype() == source->dtype())
        call.apart_or_same(target, source);
    else
        call.apart(target, source);
}

Placement run(const OpCall& call, int op, const TensorView& out, const TensorView& in, double p0 = 0, double p1 = 0) {
    const Operand target = call.output("out", out), source = call.input("in", in);
    const KernelName name = unary_kernel(op);
    check_types(call, target, source, name.kernel == std::string_view("test"));
    const Dims in_strides = call.broadcast_strides(source, target);
    check_places(call, target, source);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), name.file, name.kernel, storage_constant(in.dtype()));
    ElementwiseShape shape{};
    shape.op = op;
    shape.bytes = out.dtype() == DType::u8;
    shape.p0 = static_cast<float>(p0);
    shape.p1 = static_cast<float>(p1);
    const Split work = lay_out<2>(shape, call, kernel, collapse<2>(out.sizes(), {out.strides(), in_strides}));
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

Placement run(const OpCall& call, int op, const TensorView& out, const TensorView& a, const TensorView& b,
              const char* a_name, const char* b_name, double p0 = 0) {
    const Operand target = call.output("out", out), left = call.input(a_name, a), right = call.input(b_name, b);
    const KernelName name = binary_kernel(op);
    check_types(call, target, left, name.kernel == std::string_view("compare"));
    call.same_type(right, left);
    const Dims a_strides = call.broadcast_strides(left, target), b_strides = call.broadcast_strides(right, target);
    check_places(call, target, left);
    check_places(call, target, right);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), name.file, name.kernel, storage_constant(left->dtype()));
    ElementwiseShape shape{};
    shape.op = op;
    shape.bytes = out.dtype() == DType::u8;
    shape.p0 = static_cast<float>(p0);
    const Split work = lay_out<3>(shape, call, kernel, collapse<3>(out.sizes(), {out.strides(), a_strides, b_strides}));
    return Launch(call, kernel).view(target).view(left).view(right).value(shape).submit(work.groups, work.local);
}

} // namespace

std::string_view to_string(Unary op) noexcept {
    return name_in({"copy",  "negate",   "abs",     "square",      "sqrt",   "rsqrt",       "reciprocal", "exp",
                    "log",   "tanh",     "sigmoid", "relu",        "gelu",   "gelu_tanh",   "silu",       "floor",
                    "ceil",  "round",    "trunc",   "sign",        "relu6",  "hardsigmoid", "hardswish",  "sin",
                    "cos",   "tan",      "asin",    "acos",        "atan",   "sinh",        "cosh",       "asinh",
                    "acosh", "atanh",    "erf",     "erfc",        "exp2",   "expm1",       "log2",       "log10",
                    "log1p", "softplus", "mish",    "logical_not", "is_nan", "is_inf",      "is_finite"},
                   op);
}

std::string_view to_string(Binary op) noexcept {
    return name_in({"add",
                    "subtract",
                    "multiply",
                    "divide",
                    "maximum",
                    "minimum",
                    "relu_backward",
                    "sigmoid_backward",
                    "tanh_backward",
                    "pow",
                    "fmod",
                    "remainder",
                    "atan2",
                    "hypot",
                    "silu_backward",
                    "gelu_backward",
                    "gelu_tanh_backward",
                    "equal",
                    "not_equal",
                    "less",
                    "less_equal",
                    "greater",
                    "greater_equal",
                    "logical_and",
                    "logical_or",
                    "logical_xor"},
                   op);
}

Placement unary(const Queue& queue, Unary op, const TensorView& out, const TensorView& in) {
    const OpCall call(queue, "unary");
    call.known("op", op);
    return run(call, static_cast<int>(op), out, in);
}

Placement binary(const Queue& queue, Binary op, const TensorView& out, const TensorView& a, const TensorView& b) {
    const OpCall call(queue, "binary");
    call.known("op", op);
    return run(call, static_cast<int>(op), out, a, b, "a", "b");
}

Placement clamp(const Queue& queue, const TensorView& out, const TensorView& in, double low, double high) {
    return run(OpCall(queue, "clamp"), op_clamp, out, in, low, high);
}

Placement leaky_relu(const Queue& queue, const TensorView& out, const TensorView& in, double slope) {
    return run(OpCall(queue, "leaky_relu"), op_leaky_relu, out, in, slope);
}

Placement leaky_relu_backward(const Queue& queue, const TensorView& out, const TensorView& gradient,
                              const TensorView& x, double slope) {
    const OpCall call(queue, "leaky_relu_backward");
    return run(call, op_leaky_relu_backward, out, gradient, x, "gradient", "x", slope);
}

Placement elu(const Queue& queue, const TensorView& out, const TensorView& in, double alpha) {
    return run(OpCall(queue, "elu"), op_elu, out, in, alpha);
}

} // namespace devq::ops
