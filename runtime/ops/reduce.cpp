#include "launch.hpp"
#include <devq/ops/reduce.hpp>
#include <limits>

namespace devq::ops {

using namespace detail;

namespace {

/// struct reduce_shape of kernels/reduce.cl
struct ReduceShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t length, stride, inner, out_inner, units, units_per_group;
    std::int32_t rank, op;
};

} // namespace

std::string_view to_string(Reduction op) noexcept { return name_in({"sum", "mean", "max", "argmax"}, op); }

Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in, int axis) {
    const OpCall call(queue, "reduce");
    call.known("op", op);
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.storage_type(source);
    const bool argmax = op == Reduction::argmax;
    if (argmax)
        call.type_is(target, {DType::i32});
    else
        call.same_type(target, source);
    axis = call.axis_of(source, axis);
    Dims kept = Dims::filled(in.rank() - 1, 0), in_strides = kept;
    for (int d = 0, k = 0; d < in.rank(); d++)
        if (d != axis) {
            kept[k] = in.size(d);
            in_strides[k++] = in.stride(d);
        }
    call.sizes_are(target, kept, "in's without the reduced axis");
    call.apart(target, source);
    ReduceShape shape{};
    shape.length = in.size(axis);
    shape.stride = in.stride(axis);
    shape.op = static_cast<std::int32_t>(op);
    if (shape.length == 0 && op != Reduction::sum)
        call.fail(std::string(to_string(op)) + " over axis " + std::to_string(axis) + " of in, which is " + in.text() +
                      ": there is nothing to take it of",
                  "Leave out empty axes; only a sum over nothing has a value (0).");
    if (argmax && shape.length > std::numeric_limits<std::int32_t>::max())
        call.fail("axis " + std::to_string(axis) + " of in, which is " + in.text() +
                      ", is longer than an i32 index can say",
                  "Split the axis.");
    if (out.elements() == 0)
        return {};

    auto layout = collapse<2>(kept, {in_strides, out.strides()});
    // Where the results lie side by side in the input and the axis does not, vectors go across results.
    const auto last = static_cast<std::size_t>(std::max(layout.rank, 1) - 1);
    const bool columns = layout.rank > 0 && shape.stride != 1 && layout.strides[0][last] == 1;
    const BuiltinKernel& kernel = builtin_kernel(queue, "reduce",
                                                 argmax ? (columns ? "argmax_columns" : "argmax_rows")
                                                        : (columns ? "reduce_columns" : "reduce_rows"),
                                                 storage_constant(in.dtype()));
    shape.inner = 1;
    std::int64_t unit = 1;
    if (columns) {
        const auto inner = layout.take_inner();
        shape.inner = inner.size;
        shape.out_inner = inner.strides[1];
        unit = kernel.vector * (argmax ? 1 : kernel.unroll);
    }
    shape.sizes = layout.sizes;
    shape.in_strides = layout.strides[0];
    shape.out_strides = layout.strides[1];
    shape.rank = layout.rank;
    shape.units = layout.elements() * ((shape.inner + unit - 1) / unit);
    const std::int64_t cost = std::min(unit, shape.inner) * std::max<std::int64_t>(shape.length, 1);
    const Split work = split(call.device(), kernel, shape.units, cost, !columns, shape.length / kernel.vector);
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view_or(source, target).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
