#include "queue.hpp"
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace devq::cpu {

namespace {

using Share = std::shared_ptr<backend::Memory>;

/// Vectors among the arguments are read as such: as aligned as their size.
std::size_t alignment_of(std::size_t bytes) { return std::clamp<std::size_t>(std::bit_floor(bytes), 8, 64); }

std::size_t aligned(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

} // namespace

/// A block is: shares of buffers, the parameters, their local bytes (where there is local memory), the values.
struct Command::Layout {
    std::size_t parameters, local_bytes, values;
    Layout(std::size_t shares, std::size_t count, bool any_local)
        : parameters(shares * sizeof(Share)), local_bytes(parameters + count * sizeof(void*)),
          values(local_bytes + (any_local ? count * sizeof(std::size_t) : 0)) {}
};

std::byte* Command::block() noexcept {
    if (!large)
        return payload;
    return reinterpret_cast<std::byte*>(aligned(reinterpret_cast<std::size_t>(large.get()), 64));
}

void Command::set_launch(std::shared_ptr<Kernel> launched, const backend::LaunchRange& over,
                         std::span<const backend::Argument> arguments) {
    using Argument = backend::Argument;
    std::size_t shares = 0, local = 0;
    for (const Argument& argument : arguments) {
        shares += argument.kind == Argument::Kind::buffer;
        if (argument.kind == Argument::Kind::local)
            local += padded_local(argument.size);
    }
    const Layout layout(shares, arguments.size(), local != 0);
    std::size_t end = layout.values;
    for (const Argument& argument : arguments)
        if (argument.kind == Argument::Kind::value)
            end = aligned(end, alignment_of(argument.size)) + argument.size;
    if (end > inline_bytes)
        large = std::make_unique<std::byte[]>(end + 64);

    std::byte* at = block();
    auto* share = reinterpret_cast<Share*>(at);
    auto** parameter = reinterpret_cast<void**>(at + layout.parameters);
    auto* local_bytes = local != 0 ? reinterpret_cast<std::size_t*>(at + layout.local_bytes) : nullptr;
    end = layout.values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        parameter[i] = nullptr;
        if (local_bytes != nullptr)
            local_bytes[i] = argument.kind == Argument::Kind::local ? argument.size : 0;
        if (argument.kind == Argument::Kind::buffer) {
            new (share++) Share(argument.memory);
            parameter[i] = argument.memory ? argument.memory->host_address() : nullptr;
        } else if (argument.kind == Argument::Kind::value) {
            end = aligned(end, alignment_of(argument.size));
            parameter[i] = at + end;
            std::memcpy(at + end, argument.value, argument.size);
            end += argument.size;
        }
    }
    kind = Kind::launch;
    kernel = std::move(launched);
    range = over;
    parameter_count = arguments.size();
    total_local_bytes = local;
    memory_count = shares;
}

Launch Command::launch() noexcept {
    const Layout layout(memory_count, parameter_count, total_local_bytes != 0);
    Launch launch;
    launch.kernel = kernel.get();
    launch.range = range;
    launch.arguments = reinterpret_cast<void* const*>(block() + layout.parameters);
    if (total_local_bytes != 0)
        launch.local_bytes = reinterpret_cast<const std::size_t*>(block() + layout.local_bytes);
    launch.parameter_count = parameter_count;
    launch.total_local_bytes = total_local_bytes;
    return launch;
}

void Command::clear() noexcept {
    if (kind == Kind::launch) {
        std::destroy_n(std::launder(reinterpret_cast<Share*>(block())), memory_count);
        kernel.reset();
    } else {
        event.reset();
        memories[0].reset();
        memories[1].reset();
    }
    large.reset();
    kind = Kind::none;
}

} // namespace devq::cpu
