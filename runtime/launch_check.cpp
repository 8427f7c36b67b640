#include "launch_check.hpp"
#include <algorithm>
#include <bit>
#include <limits>

namespace devq {

using namespace detail;

namespace {

constexpr auto operation = "Queue::launch";

using frontend::Parameter;
using frontend::Space;
using frontend::ValueKind;

[[noreturn]] void refuse(const std::string& problem, const std::string& advice) {
    throw Error(ErrorCode::invalid_argument, operation, problem, advice);
}

std::string declared(const Parameter& parameter) {
    const char* space = parameter.space == Space::global     ? "global "
                        : parameter.space == Space::constant ? "constant "
                        : parameter.space == Space::local    ? "local "
                                                             : "";
    return space + parameter.type + " " + parameter.name;
}

std::string declared(const frontend::KernelSignature& signature) {
    std::string text = signature.name + "(";
    for (const Parameter& parameter : signature.parameters)
        text += (&parameter == signature.parameters.data() ? "" : ", ") + declared(parameter);
    return text + ")";
}

const char* kind_text(KernelArg::Kind kind) {
    switch (kind) {
    case KernelArg::Kind::buffer:
        return "a buffer";
    case KernelArg::Kind::local:
        return "local memory";
    case KernelArg::Kind::signed_integer:
        return "a signed integer";
    case KernelArg::Kind::unsigned_integer:
        return "an unsigned integer";
    case KernelArg::Kind::floating:
        return "a floating-point number";
    case KernelArg::Kind::bytes:
        return "a structure";
    }
    return "something else";
}

/// What the caller should write for a by-value parameter.
std::string value_advice(const Parameter& parameter, bool vector) {
    const std::string bytes = std::to_string(parameter.size) + " bytes";
    if (parameter.kind == ValueKind::structure || vector)
        return "Pass a trivially copyable structure or array type of exactly " + bytes + ", laid out as the kernel's.";
    const std::string bits = std::to_string(parameter.size * 8);
    if (parameter.kind == ValueKind::floating)
        return parameter.size == 4 ? "Pass a float (2.0f, not 2.0)." : "Pass a floating-point number of " + bytes + ".";
    return "Pass a std::" + std::string(parameter.kind == ValueKind::unsigned_integer ? "u" : "") + "int" + bits +
           "_t.";
}

/// "float4": the type's name without qualifiers ends in the number of its components.
bool is_vector(const Parameter& parameter) {
    return parameter.kind != ValueKind::structure && !parameter.type.empty() && parameter.type.back() >= '0' &&
           parameter.type.back() <= '9';
}

bool same_kind(const Parameter& parameter, KernelArg::Kind kind) {
    if (parameter.kind == ValueKind::structure || is_vector(parameter))
        return kind == KernelArg::Kind::bytes;
    switch (parameter.kind) {
    case ValueKind::signed_integer:
        return kind == KernelArg::Kind::signed_integer;
    case ValueKind::unsigned_integer:
        return kind == KernelArg::Kind::unsigned_integer;
    case ValueKind::floating:
        return kind == KernelArg::Kind::floating;
    case ValueKind::structure:
        break;
    }
    return false;
}

class ArgumentCheck {
public:
    ArgumentCheck(const KernelState& kernel, const Capabilities& limits) : kernel_(kernel), limits_(limits) {
        local_bytes_ = kernel.kernel->local_bytes() > 0 ? kernel.kernel->local_bytes() : kernel.signature.local_bytes;
    }

    backend::Argument one(std::size_t index, const KernelArg& given) {
        const Parameter& parameter = kernel_.signature.parameters[index];
        switch (parameter.space) {
        case Space::global:
        case Space::constant:
            return buffer(index, parameter, given);
        case Space::local:
            return local(index, parameter, given);
        case Space::value:
            break;
        }
        return value(index, parameter, given);
    }

    void totals() const {
        if (local_bytes_ > limits_.local_memory_bytes)
            refuse("kernel \"" + kernel_.signature.name + "\" would need " + std::to_string(local_bytes_) +
                       " bytes of local memory a group, the device has " + std::to_string(limits_.local_memory_bytes),
                   "Use less local memory: smaller LocalMemory arguments and local arrays.");
        if (limits_.max_argument_bytes > 0 && argument_bytes_ > limits_.max_argument_bytes)
            refuse("the arguments of kernel \"" + kernel_.signature.name + "\" have " +
                       std::to_string(argument_bytes_) + " bytes, the device takes " +
                       std::to_string(limits_.max_argument_bytes),
                   "Pass large structures in a buffer.");
    }

private:
    std::string place(std::size_t index, const Parameter& parameter) const {
        return "argument " + std::to_string(index) + " of kernel \"" + kernel_.signature.name + "\" (" +
               declared(parameter) + ")";
    }

    backend::Argument buffer(std::size_t index, const Parameter& parameter, const KernelArg& given) {
        if (given.kind() != KernelArg::Kind::buffer)
            refuse(place(index, parameter) + " takes a buffer, " + kind_text(given.kind()) + " was given",
                   "Pass a Buffer or Tensor.");
        if (!given.buffer() || !*given.buffer())
            refuse(place(index, parameter) + " was given an empty Buffer handle", "Allocate it with Device::allocate.");
        const BufferState& state = *given.buffer()->state();
        if (state.device != kernel_.program->device)
            refuse(place(index, parameter) + " was given a buffer of device " + state.device->info.id +
                       ", the kernel is built for " + kernel_.program->device->info.id,
                   "Copy the data to the kernel's device first (Queue::copy).");
        argument_bytes_ += sizeof(void*);
        return {backend::Argument::Kind::buffer, state.memory, nullptr, 0};
    }

    backend::Argument local(std::size_t index, const Parameter& parameter, const KernelArg& given) {
        if (given.kind() != KernelArg::Kind::local)
            refuse(place(index, parameter) + " takes local memory, " + kind_text(given.kind()) + " was given",
                   "Pass LocalMemory{bytes}.");
        if (given.size() == 0)
            refuse(place(index, parameter) + " was given 0 bytes of local memory", "Pass at least one element's size.");
        // Backends align every piece to 16 bytes or more; the sum stays at its ceiling instead of wrapping around.
        constexpr std::size_t ceiling = std::numeric_limits<std::size_t>::max();
        local_bytes_ = given.size() > ceiling - local_bytes_ ? ceiling : local_bytes_ + given.size();
        argument_bytes_ += sizeof(void*);
        return {backend::Argument::Kind::local, nullptr, nullptr, given.size()};
    }

    backend::Argument value(std::size_t index, const Parameter& parameter, const KernelArg& given) {
        if (!same_kind(parameter, given.kind()))
            refuse(place(index, parameter) + " takes a value of type " + parameter.type + ", " +
                       kind_text(given.kind()) + " was given",
                   value_advice(parameter, is_vector(parameter)));
        if (given.size() != parameter.size)
            refuse(place(index, parameter) + " takes " + std::to_string(parameter.size) + " bytes, " +
                       kind_text(given.kind()) + " of " + std::to_string(given.size()) + " bytes was given",
                   value_advice(parameter, is_vector(parameter)));
        argument_bytes_ += parameter.size;
        return {backend::Argument::Kind::value, nullptr, given.value(), given.size()};
    }

    const KernelState& kernel_;
    const Capabilities& limits_;
    std::size_t local_bytes_ = 0;
    std::size_t argument_bytes_ = 0;
};

std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dimensions) {
    std::string text;
    for (unsigned d = 0; d < dimensions; ++d)
        text += (d == 0 ? "" : " x ") + std::to_string(sizes[d]);
    return text;
}

std::size_t group_limit(const KernelState& kernel, const Capabilities& limits) {
    const std::size_t own = kernel.kernel->max_group_items();
    return own > 0 ? std::min(own, limits.max_group_items) : limits.max_group_items;
}

/// The largest powers of two that divide the range, dimension 0 first, up to a size that suits the device. On a CPU a
/// kernel without barriers runs its group as a loop, which is worth more than one item; with barriers, fewer are
/// better.
std::array<std::size_t, 3> choose_group(const KernelState& kernel, const Capabilities& limits, const Range& range) {
    constexpr std::size_t loop_items = 64;
    std::size_t left = std::max<std::size_t>(limits.preferred_group, kernel.signature.uses_barrier ? 1 : loop_items);
    if (const backend::GroupAdvice advice = kernel.kernel->group_advice(); advice.items > 0) {
        // The device's own word, but smaller groups where there would be too few to fill it.
        constexpr std::size_t least = 64;
        left = std::bit_floor(advice.items);
        std::size_t items = 1;
        for (unsigned d = 0; d < range.dimensions; ++d)
            items *= range.global[d];
        while (left > least && items / left < advice.groups)
            left /= 2;
    }
    left = std::min(left, std::max<std::size_t>(group_limit(kernel, limits), 1));
    std::array<std::size_t, 3> local{1, 1, 1};
    for (unsigned d = 0; d < range.dimensions; ++d) {
        while (local[d] * 2 <= std::min(left, limits.max_group[d]) && range.global[d] % (local[d] * 2) == 0)
            local[d] *= 2;
        left /= local[d];
    }
    return local;
}

void check_group(const KernelState& kernel, const Capabilities& limits, const Range& range,
                 const std::array<std::size_t, 3>& local) {
    const std::string group = sizes_text(local, range.dimensions);
    std::size_t items = 1;
    const std::size_t most = group_limit(kernel, limits);
    for (unsigned d = 0; d < range.dimensions; ++d) {
        if (local[d] == 0)
            refuse("the group size " + group + " has a 0", "Give every dimension a size, or none for devq to choose.");
        if (local[d] > limits.max_group[d])
            refuse("the group size " + group + " is above the device's limit of " +
                       std::to_string(limits.max_group[d]) + " in dimension " + std::to_string(d),
                   "Use smaller groups.");
        if (range.global[d] % local[d] != 0)
            refuse("the group size " + group + " does not divide the global size " +
                       sizes_text(range.global, range.dimensions),
                   "Round the global size up to a multiple, and let the kernel skip the rest.");
        if (local[d] > most / items)
            refuse("a group of " + group + " work-items is above the limit of " + std::to_string(most) +
                       " for kernel \"" + kernel.signature.name + "\" on this device",
                   "Use smaller groups.");
        items *= local[d];
    }
}

} // namespace

KernelArg::KernelArg(const TensorView& view) : kind_(Kind::buffer), held_(view.buffer()) {
    buffer_ = &held_;
    if (view.offset() != 0)
        refuse("a view with offset " + std::to_string(view.offset()) +
                   " was given to a kernel, which sees whole buffers",
               "Pass the view's buffer, and the offset as an argument of its own.");
}

void detail::check_arguments(const KernelState& kernel, const Capabilities& limits,
                             std::span<const KernelArg> arguments, std::span<backend::Argument> out) {
    const frontend::KernelSignature& signature = kernel.signature;
    if (arguments.size() != signature.parameters.size())
        refuse("kernel \"" + signature.name + "\" takes " + std::to_string(signature.parameters.size()) +
                   " arguments, " + std::to_string(arguments.size()) + " were given",
               "Its parameters are " + declared(signature) + ".");
    ArgumentCheck check(kernel, limits);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        out[i] = check.one(i, arguments[i]);
    check.totals();
}

backend::LaunchRange detail::check_range(const KernelState& kernel, const Capabilities& limits, const Range& range) {
    if (range.dimensions < 1 || range.dimensions > 3)
        refuse("a range of " + std::to_string(range.dimensions) + " dimensions was given", "Use 1, 2 or 3 dimensions.");
    std::size_t items = 1;
    for (unsigned d = 0; d < range.dimensions; ++d) {
        if (range.global[d] > 0 && items > std::numeric_limits<std::size_t>::max() / range.global[d])
            refuse("the global size " + sizes_text(range.global, range.dimensions) + " is beyond 64 bits",
                   "Check the size for an overflow.");
        items *= range.global[d];
    }
    const auto& required = kernel.signature.required_group;
    const bool fixed = required[0] > 0;
    std::array<std::size_t, 3> local = range.local;
    const bool given = std::any_of(local.begin(), local.end(), [](std::size_t n) { return n > 0; });
    if (fixed && given && !std::equal(local.begin(), local.begin() + range.dimensions, required.begin()))
        refuse("kernel \"" + kernel.signature.name + "\" requires groups of " + sizes_text(required, 3) + ", " +
                   sizes_text(local, range.dimensions) + " was given",
               "Leave the group size to devq, or give the required one.");
    for (unsigned d = range.dimensions; fixed && d < 3; ++d)
        if (required[d] != 1)
            refuse("kernel \"" + kernel.signature.name + "\" requires groups of " + sizes_text(required, 3) +
                       ", the range has " + std::to_string(range.dimensions) + " dimensions",
                   "Give a range of as many dimensions.");
    backend::LaunchRange checked;
    checked.dimensions = range.dimensions;
    std::copy_n(range.global.begin(), range.dimensions, checked.global.begin());
    if (fixed)
        local = required;
    else if (!given)
        local = choose_group(kernel, limits, range);
    if (items > 0)
        check_group(kernel, limits, range, local);
    std::copy_n(local.begin(), range.dimensions, checked.local.begin());
    return checked;
}

} // namespace devq
