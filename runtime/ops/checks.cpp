#include "checks.hpp"
#include "../queue_state.hpp"
#include "overlap.hpp"
#include <algorithm>

namespace devq::detail {

namespace {

std::string described(const Operand& operand) { return std::string(operand.name) + " is " + operand->text(); }

} // namespace

OpCall::OpCall(const Queue& queue, const char* operation) : queue_(queue), operation_(operation) {
    if (!queue)
        fail("the queue is an empty handle", "Make one with Device::create_queue.");
    device_ = queue.state()->device.get();
    device_->check_usable(operation);
}

void OpCall::fail(const std::string& problem, const std::string& advice) const {
    throw Error(ErrorCode::invalid_argument, operation_, problem, advice);
}

Operand OpCall::input(const char* name, const TensorView& view) const {
    Operand operand{name, &view, nullptr};
    try {
        operand.buffer = view.buffer().state();
    } catch (const Error&) {
    }
    if (!operand.buffer)
        fail(std::string(name) + " has no memory: the view is empty, or its buffer is gone",
             "Keep a Buffer or Tensor alive for as long as its views are used.");
    if (operand.buffer->device.get() != device_)
        fail(std::string(name) + " is on " + operand.buffer->device->info.id + ", the queue on " + device_->info.id,
             "Copy it to the queue's device first (Queue::copy), or use a queue of its device.");
    return operand;
}

Operand OpCall::output(const char* name, const TensorView& view) const {
    Operand operand = input(name, view);
    for (int d = 0; d < view.rank(); d++)
        if (view.size(d) > 1 && view.stride(d) == 0 && view.elements() > 0)
            fail(described(operand) + ": axis " + std::to_string(d) + " has stride 0, so that its elements are one",
                 "Give the output memory of its own; only inputs broadcast.");
    if (overlaps_itself(view))
        fail(described(operand) + ": unlike indices name the same element",
             "Choose strides that keep the output's elements apart.");
    return operand;
}

void OpCall::type_is(const Operand& operand, std::initializer_list<DType> types) const {
    if (std::find(types.begin(), types.end(), operand->dtype()) != types.end())
        return;
    std::string known;
    for (const DType type : types)
        known += (known.empty() ? "" : ", ") + std::string(to_string(type));
    fail(described(operand) + ": its type must be " + (types.size() > 1 ? "one of " : "") + known,
         types.size() > 1 ? "Convert it with devq::ops::cast where that is possible."
                          : "Make it of type " + known + ".");
}

void OpCall::same_type(const Operand& operand, const Operand& as) const {
    if (operand->dtype() != as->dtype())
        fail(described(operand) + ", " + described(as) + ": their types differ",
             "Convert one of them with devq::ops::cast.");
}

void OpCall::rank_is(const Operand& operand, int rank) const {
    if (operand->rank() != rank)
        fail(described(operand) + ": its rank must be " + std::to_string(rank), "Reshape the view.");
}

void OpCall::sizes_are(const Operand& operand, const Dims& sizes, const char* why) const {
    if (operand->sizes() != sizes)
        fail(described(operand) + ": its sizes must be " + sizes.text() + ", " + why, "Check the shapes of the call.");
}

void OpCall::one_element(const Operand& operand) const {
    if (operand->elements() != 1)
        fail(described(operand) + ": it must be of one element", "Pass a view of sizes [1].");
}

void OpCall::contiguous(const Operand& operand) const {
    if (!operand->contiguous())
        fail(described(operand) + ": it must be contiguous",
             "Copy it to a contiguous tensor (devq::ops::unary, copy).");
}

Dims OpCall::broadcast_strides(const Operand& operand, const Operand& out) const {
    const int extra = out->rank() - operand->rank();
    bool fits = extra >= 0;
    Dims strides = Dims::filled(out->rank(), 0);
    for (int d = 0; fits && d < operand->rank(); d++) {
        const std::int64_t size = operand->size(d);
        fits = size == out->size(d + extra) || size == 1;
        strides[d + extra] = size == 1 ? 0 : operand->stride(d);
    }
    if (!fits)
        fail(described(operand) + " and does not broadcast to out, which is " + out->text(),
             "Each size, counted from the last axis, must equal out's or be 1.");
    return strides;
}

void OpCall::apart(const Operand& out, const Operand& other) const {
    if (out.buffer == other.buffer && overlap(*out, *other))
        fail(described(out) + ", " + described(other) + ", in one buffer: they overlap", "Write to memory of its own.");
}

void OpCall::apart_or_same(const Operand& out, const Operand& other) const {
    if (out.buffer == other.buffer && !same_elements(*out, *other) && overlap(*out, *other))
        fail(described(out) + ", " + described(other) + ", in one buffer: they overlap without being the same view",
             "Use the same view for both (in place), or memory of its own.");
}

int OpCall::axis_of(const Operand& operand, int axis) const {
    const int rank = operand->rank();
    if (axis < -rank || axis >= rank)
        fail("there is no axis " + std::to_string(axis) + ": " + described(operand),
             rank == 0 ? "A view of rank 0 has no axes."
                       : "Axes go from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + ".");
    return axis < 0 ? axis + rank : axis;
}

} // namespace devq::detail
