#include "bits.hpp"
#include "launch.hpp"
#include <devq/ops/fill.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct fill_shape of kernels/fill.cl
struct FillShape {
    std::array<std::int64_t, max_rank> sizes, strides;
    std::int64_t outer, inner, inner_stride, units, units_per_group;
    std::int32_t rank, unit;
};

} // namespace

Placement fill(const Queue& queue, const TensorView& out, double value) {
    const OpCall call(queue, "fill");
    const Operand target = call.output("out", out);
    const std::uint64_t bits = bits_of(call, out.dtype(), value);
    if (out.elements() == 0)
        return {};
    auto layout = collapse<1>(out.sizes(), {out.strides()});
    const auto inner = layout.take_inner();
    const BuiltinKernel& kernel = builtin_kernel(queue, "fill", "fill", size_constant(out.dtype()));
    FillShape shape{};
    shape.sizes = layout.sizes;
    shape.strides = layout.strides[0];
    shape.outer = layout.elements();
    shape.inner = inner.size;
    shape.inner_stride = inner.strides[0];
    shape.rank = layout.rank;
    shape.unit = run_length(kernel.group, false);
    shape.units = shape.outer * ((shape.inner + shape.unit - 1) / shape.unit);
    const Split work = split(call.device(), kernel, shape.units, std::min<std::int64_t>(shape.unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).value(shape).value(bits).submit(work.groups, work.local);
}

} // namespace devq::ops
