#include "vendor.hpp"
#include "../environment.hpp"
#include "../queue_state.hpp"
#include "../recording.hpp"
#include <algorithm>
#include <vector>

namespace devq {

namespace ops {

std::string_view to_string(Path path) noexcept { return detail::name_in({"automatic", "portable", "vendor"}, path); }

} // namespace ops

namespace detail {

namespace {

using backend::VendorSupport;

/// What the largest devices' libraries are at their best with.
constexpr std::size_t most_workspace(const backend::MatmulDescription&) { return std::size_t{32} << 20; }
constexpr std::size_t most_workspace(const backend::ConvolutionDescription&) { return std::size_t{128} << 20; }

ops::Path usual_path() {
    static const ops::Path path = [] {
        const std::string_view word = environment("DEVQ_PATH");
        return word == "portable" ? ops::Path::portable : word == "vendor" ? ops::Path::vendor : ops::Path::automatic;
    }();
    return path;
}

/// What a call computes is the same each time: it depends on no race, and not on how much memory is free.
bool deterministic() {
    static const bool asked = flag("DEVQ_DETERMINISTIC", false);
    return asked;
}

using Memories = std::vector<std::shared_ptr<backend::Memory>>; // null where there is none

Memories memories_of(const backend::MatmulOperands& with) {
    Memories all{with.a.memory, with.b.memory, with.out.memory, with.c.memory, with.bias.memory, with.workspace.memory};
    for (const auto* list : {&with.as, &with.bs, &with.outs})
        for (const backend::Place& place : *list)
            all.push_back(place.memory);
    return all;
}
Memories memories_of(const backend::ConvolutionOperands& with) {
    return {with.image.memory, with.filter.memory, with.result.memory, with.workspace.memory};
}

} // namespace

VendorPath::VendorPath(const OpCall& call, ops::Path asked, bool others)
    : call_(call), path_(asked == ops::Path::automatic ? usual_path() : asked), others_(others) {
    call.known("path", asked);
}

std::nullopt_t VendorPath::refuse(const std::string& why) const {
    if (path_ == ops::Path::vendor && !others_)
        throw Error(ErrorCode::unsupported, call_.operation(),
                    "the vendor's path was asked for, and cannot be taken: " + why,
                    "Use Path::automatic or Path::portable; DEVQ_PATH, where the call says neither.");
    return std::nullopt;
}

backend::Place VendorPath::place(const Operand& operand) {
    if (!operand.buffer || !operand.buffer->memory)
        return {};
    return {operand.buffer->memory, static_cast<std::size_t>(operand->offset()) * size_of(operand->dtype())};
}

std::uint32_t VendorPath::alignment(const Operand& operand) {
    constexpr std::size_t most = 256;
    const backend::Place at = place(operand);
    const std::size_t bits = most | at.offset | (at.memory ? at.memory->address_alignment() : most);
    return static_cast<std::uint32_t>(bits & (~bits + 1)); // the lowest
}

template <class Description, class Operands, class Submit>
std::optional<std::string_view> VendorPath::run_with(Description& description, Operands& operands,
                                                     const std::function<void()>& before, Submit&& submit) const {
    if (!wanted())
        return std::nullopt;
    QueueState& queue = *call_.queue().state();
    DeviceState& device = *queue.device;
    for (const std::size_t limit :
         {most_workspace(description), std::size_t{0}}) { // what needs none, where there is too little
        description.workspace_limit = limit;
        description.deterministic = deterministic();
        const VendorSupport found =
            call_backend(device, call_.operation(), [&] { return device.device->supports(description); });
        if (!found)
            return refuse(found.reason.empty() ? device.info.id + " has no vendor's library for it" : found.reason);
        try {
            Buffer workspace; // back in the pool as soon as the command is queued: whoever is next comes after it
            if (found.workspace_bytes > 0) {
                workspace = Device(queue.device).allocate(found.workspace_bytes);
                operands.workspace.memory = workspace.state()->memory;
            }
            if (before)
                before();
            const auto memories = memories_of(operands);
            FormerUsers former;
            call_backend(device, call_.operation(), [&] {
                for (const auto& memory : memories)
                    former.look(queue, memory.get());
            });
            const std::lock_guard lock(queue.mutex);
            if (!queue.failure)
                call_backend(device, call_.operation(), [&] {
                    auto command = parked_call(
                        call_.operation(), [=](backend::Queue& native) { submit(native, description, operands); },
                        false); // a library may find out at the call that it cannot
                    if (queue.recording) {
                        for (const auto& memory : memories)
                            queue.recording->keep(memory);
                        return queue.recording->add(std::move(command));
                    }
                    queue.use(memories, former);
                    if (queue.is_parked())
                        queue.park(std::move(command));
                    else
                        command->run(queue);
                });
            return found.path;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::unsupported)
                return refuse(error.what());
            if (error.code() != ErrorCode::out_of_memory || found.workspace_bytes == 0 || description.deterministic)
                throw;
        }
    }
    return refuse("there is no memory for the library to work in");
}

std::optional<std::string_view> VendorPath::run(backend::MatmulDescription description,
                                                backend::MatmulOperands operands) const {
    return run_with(description, operands, {},
                    [](backend::Queue& queue, const auto& what, const auto& with) { queue.matmul(what, with); });
}

std::optional<std::string_view> VendorPath::run(backend::ConvolutionDescription description,
                                                backend::ConvolutionOperands operands,
                                                const std::function<void()>& before) const {
    return run_with(description, operands, before,
                    [](backend::Queue& queue, const auto& what, const auto& with) { queue.convolve(what, with); });
}

} // namespace detail

} // namespace devq
