#pragma once
/// What operations check about their views, in one voice. Everything throws invalid_argument at the call.

#include "../state.hpp"
#include <devq/error.hpp>
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace devq::detail {

constexpr std::string_view unknown_name = "unknown";

/// The name of an enumerator, for enumerations that count from 0.
template <typename E>
constexpr std::string_view name_in(std::initializer_list<std::string_view> names, E value) noexcept {
    const auto index = static_cast<std::size_t>(value);
    return index < names.size() ? names.begin()[index] : unknown_name;
}

/// A view of an operation, with its memory.
struct Operand {
    const char* name = "";
    const TensorView* view = nullptr;
    std::shared_ptr<BufferState> buffer;

    const TensorView* operator->() const noexcept { return view; }
    const TensorView& operator*() const noexcept { return *view; }
};

/// One call of an operation on a queue.
class OpCall {
public:
    /// Throws when the queue is an empty handle, or its device cannot be used.
    OpCall(const Queue& queue, const char* operation);

    const Queue& queue() const noexcept { return queue_; }
    const char* operation() const noexcept { return operation_; }
    const DeviceState& device() const noexcept { return *device_; }

    /// A view of this queue's device.
    Operand input(const char* name, const TensorView& view) const;
    /// The same; no element of it is at two places.
    Operand output(const char* name, const TensorView& view) const;

    void type_is(const Operand& operand, std::initializer_list<DType> types) const;
    void storage_type(const Operand& operand) const { type_is(operand, {DType::f32, DType::f16, DType::bf16}); }
    void same_type(const Operand& operand, const Operand& as) const;
    void rank_is(const Operand& operand, int rank) const;
    void sizes_are(const Operand& operand, const Dims& sizes, const char* why) const;
    void one_element(const Operand& operand) const;
    void contiguous(const Operand& operand) const;
    /// `operand` broadcasts to out's sizes by numpy's rules; its strides for these sizes.
    Dims broadcast_strides(const Operand& operand, const Operand& out) const;
    /// No byte in common.
    void apart(const Operand& out, const Operand& other) const;
    /// Nothing in common, or all elements at the same places.
    void apart_or_same(const Operand& out, const Operand& other) const;
    /// 0 … rank-1; negative axes count from the end.
    int axis_of(const Operand& operand, int axis) const;

    /// Throws for a value that the enumeration does not have, such as one cast from an unchecked integer.
    template <typename E>
    void known(const char* name, E value) const {
        if (to_string(value) == unknown_name)
            fail(std::string(name) + " is " + std::to_string(static_cast<long long>(value)) +
                     ", which the enumeration does not have",
                 "Use one of the enumerators in the header.");
    }

    [[noreturn]] void fail(const std::string& problem, const std::string& advice) const;

private:
    const Queue& queue_;
    const char* operation_;
    const DeviceState* device_ = nullptr;
};

} // namespace devq::detail
