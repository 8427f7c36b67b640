#include "bits.hpp"
#include "launch.hpp"
#include <devq/ops/copy.hpp>

namespace devq::ops {

using namespace detail;

namespace {

/// struct copy_shape of kernels/copy.cl
struct CopyShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, in_strides;
    std::int64_t inner, out_inner, in_inner, outer, units, units_per_group;
    std::int32_t rank, unit, down, unused;
};

Placement run(const OpCall& call, const Operand& target, const Operand& source, const Dims& in_strides) {
    if (target->elements() == 0)
        return {};
    const BuiltinKernel& kernel = builtin_kernel(call.queue(), "copy", "copy", size_constant(target->dtype()));
    auto layout = collapse<2>(target->sizes(), {target->strides(), in_strides});
    const auto inner = layout.take_inner();
    CopyShape shape{};
    shape.sizes = layout.sizes;
    shape.out_strides = layout.strides[0];
    shape.in_strides = layout.strides[1];
    shape.inner = inner.size;
    shape.out_inner = inner.strides[0];
    shape.in_inner = inner.strides[1];
    shape.rank = layout.rank;
    shape.outer = layout.elements();
    shape.down = shape.in_inner > 1;
    shape.unit = run_length(kernel.group, shape.down);
    shape.units = shape.outer * ((shape.inner + shape.unit - 1) / shape.unit);
    const Split work = split(call.device(), kernel, shape.units, std::min<std::int64_t>(shape.unit, shape.inner));
    shape.units_per_group = work.units_per_group;
    return Launch(call, kernel).view(target).view(source).value(shape).submit(work.groups, work.local);
}

} // namespace

Placement copy(const Queue& queue, const TensorView& out, const TensorView& in) {
    const OpCall call(queue, "copy");
    const Operand target = call.output("out", out), source = call.input("in", in);
    call.same_type(source, target);
    const Dims in_strides = call.broadcast_strides(source, target);
    call.apart(target, source);
    return run(call, target, source, in_strides);
}

Placement concat(const Queue& queue, const TensorView& out, std::span<const TensorView> inputs, int axis) {
    const OpCall call(queue, "concat");
    const Operand target = call.output("out", out);
    axis = call.axis_of(target, axis);
    if (inputs.empty())
        call.fail("there are no inputs", "Give one or more.");
    std::int64_t length = 0;
    for (std::size_t i = 0; i < inputs.size(); i++) { // all of them, before anything is queued
        const std::string name = "input " + std::to_string(i);
        const Operand source = call.input(name.c_str(), inputs[i]);
        call.same_type(source, target);
        call.rank_is(source, out.rank());
        Dims sizes = out.sizes();
        sizes[axis] = inputs[i].size(axis);
        call.sizes_are(source, sizes, "out's in all axes but the one to concatenate along");
        call.apart(target, source);
        length += inputs[i].size(axis);
        if (length > out.size(axis))
            break;
    }
    if (length != out.size(axis))
        call.fail("the inputs' sizes along axis " + std::to_string(axis) + " add up to " +
                      (length > out.size(axis) ? "more than " : "only " + std::to_string(length) + " of ") +
                      std::to_string(out.size(axis)) + ", which is out's",
                  "Make out as large as the inputs together.");
    Placement placement;
    std::int64_t at = 0;
    for (const TensorView& input : inputs) {
        const TensorView window = out.sliced(axis, at, input.size(axis));
        at += input.size(axis);
        const Placement one = run(call, call.output("out", window), call.input("input", input), input.strides());
        if (one.path != "none")
            placement = one;
    }
    return placement;
}

std::vector<TensorView> split(const TensorView& view, std::span<const std::int64_t> sizes, int axis) {
    const auto fail = [&](const std::string& problem, const char* advice) {
        throw Error(ErrorCode::invalid_argument, "split", problem, advice);
    };
    if (axis < -view.rank() || axis >= view.rank())
        fail("there is no axis " + std::to_string(axis) + ": the view is " + view.text(),
             "Axes go from -rank to rank - 1.");
    axis += axis < 0 ? view.rank() : 0;
    std::vector<TensorView> windows;
    std::int64_t at = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > view.size(axis) - at)
            fail("a window of " + std::to_string(size) + " from " + std::to_string(at) + " on does not fit axis " +
                     std::to_string(axis) + " of " + view.text(),
                 "The sizes must be 0 or more, and add up to the view's.");
        windows.push_back(view.sliced(axis, at, size));
        at += size;
    }
    if (at != view.size(axis))
        fail("the sizes add up to " + std::to_string(at) + " of axis " + std::to_string(axis) + " of " + view.text(),
             "They must add up to the view's size.");
    return windows;
}

} // namespace devq::ops
