#include "bits.hpp"
#include "launch.hpp"
#include <devq/ops/pad.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct pad_shape of kernels/pad.cl
struct PadShape {
    std::array<std::int64_t, max_rank> sizes, in_sizes, before, out_strides, in_strides;
    std::int64_t units_per_row, units, units_per_group;
    std::uint64_t bits;
    std::int32_t rank, mode, unit, unused;
};

/// Most elements of padding on one side of an axis of `size`.
std::int64_t most_padding(Padding mode, std::int64_t size) {
    return mode == Padding::reflect ? size - 1 : mode == Padding::circular ? size : INT64_MAX;
}

void check_axis(const OpCall& call, const Operand& target, const Operand& source, int d, std::int64_t before,
                Padding mode) {
    const std::int64_t size = source->size(d), room = target->size(d) - size;
    const std::string axis = "axis " + std::to_string(d) + " of in, which is " + source->text();
    if (before < 0 || before > room)
        call.fail(axis + ": " + std::to_string(before) + " elements before it leave no room for it in out, which is " +
                      target->text(),
                  "Make out as large as in and the padding on both sides.");
    const std::int64_t after = room - before;
    if (mode != Padding::constant && room > 0 && (size == 0 || std::max(before, after) > most_padding(mode, size)))
        call.fail(axis + ": it cannot give " + std::to_string(before) + " elements before and " +
                      std::to_string(after) + " behind it by " + std::string(to_string(mode)),
                  "Reflection needs more elements than it gives, circular padding as many; a constant needs none.");
}

} // namespace

std::string_view to_string(Padding mode) noexcept {
    return name_in({"constant", "reflect", "replicate", "circular"}, mode);
}

Placement pad(const Queue& queue, const TensorView& out, const TensorView& in, const Dims& before, Padding mode,
              double value) {
    const OpCall call(queue, "pad");
    call.known("mode", mode);
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.same_type(source, target);
    call.rank_is(source, out.rank());
    if (before.rank() != out.rank())
        call.fail("before is " + before.text() + ", but out is " + out.text(), "Give one number for each axis.");
    for (int d = 0; d < out.rank(); d++)
        check_axis(call, target, source, d, before[d], mode);
    call.apart(target, source);
    PadShape shape{};
    shape.bits = bits_of(call, out.dtype(), value);
    if (out.elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(queue, "pad", "pad", size_constant(out.dtype()));
    shape.rank = std::max(out.rank(), 1);
    shape.mode = static_cast<std::int32_t>(mode);
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.rank); d++) { // rank 0: an axis of one element
        const bool none = out.rank() == 0;
        const int axis = static_cast<int>(d);
        shape.sizes[d] = none ? 1 : out.size(axis);
        shape.in_sizes[d] = none ? 1 : in.size(axis);
        shape.before[d] = none ? 0 : before[axis];
        shape.out_strides[d] = none ? 1 : out.stride(axis);
        shape.in_strides[d] = none ? 1 : in.stride(axis);
    }
    const std::int64_t last = shape.sizes[static_cast<std::size_t>(shape.rank - 1)];
    shape.unit = run_length(kernel.group, false);
    shape.units_per_row = (last + shape.unit - 1) / shape.unit;
    shape.units = out.elements() / last * shape.units_per_row;
    const Split work = split(call.device(), kernel, shape.units, std::min<std::int64_t>(shape.unit, last));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view_or(source, target).value(shape).submit(work.groups, work.local);
}

} // namespace devq::ops
