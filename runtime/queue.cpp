#include "bridge.hpp"
#include "launch_check.hpp"
#include "queue_state.hpp"
#include "recording.hpp"
#include "transfer.hpp"
#include <array>
#include <cstring>
#include <devq/queue.hpp>

namespace devq {

using namespace detail;

namespace {

QueueState& checked_queue(const std::shared_ptr<QueueState>& state, const char* operation) {
    if (!state)
        throw Error(ErrorCode::invalid_argument, operation, "this Queue is an empty handle",
                    "Take one from Device::create_queue.");
    return *state;
}

using Memories = std::initializer_list<const std::shared_ptr<backend::Memory>*>;

FormerUsers former_users(QueueState& queue, const char* operation, Memories memories) {
    FormerUsers former;
    call_backend(*queue.device, operation, [&] {
        for (const auto* memory : memories)
            former.look(queue, memory->get());
    });
    return former;
}

/// The queue's commands all go through here: `now` takes the backend's queue, `later` makes the parked form.
template <class Now, class Later>
void submit(QueueState& queue, const char* operation, Memories memories, Now&& now, Later&& later) {
    const FormerUsers former = former_users(queue, operation, memories);
    const std::lock_guard lock(queue.mutex);
    if (queue.failure)
        return; // dropped: wait() has yet to tell why
    call_backend(*queue.device, operation, [&] {
        if (queue.recording) {
            for (const auto* memory : memories)
                queue.recording->keep(*memory);
            return queue.recording->add(later());
        }
        queue.use(memories, former);
        if (queue.is_parked())
            queue.park(later());
        else
            now(*queue.native);
    });
}

[[noreturn]] void throw_named(const std::exception_ptr& failure, const char* operation) {
    try {
        std::rethrow_exception(failure);
    } catch (...) {
        rethrow(operation);
    }
}

/// Throws what wait() would.
void settle(QueueState& queue, const char* operation) {
    {
        const std::lock_guard lock(queue.mutex);
        refuse_while_recording(queue, operation);
    }
    if (const std::exception_ptr failure = queue.finish())
        throw_named(failure, operation);
}

std::string range_text(std::size_t offset, std::size_t bytes) {
    return std::to_string(bytes) + " bytes at offset " + std::to_string(offset);
}

const BufferState& checked_range(const Buffer& buffer, std::size_t offset, std::size_t bytes, const char* operation,
                                 const char* role) {
    if (!buffer)
        throw Error(ErrorCode::invalid_argument, operation, std::string("the ") + role + " is an empty Buffer handle",
                    "Allocate it with Device::allocate.");
    const BufferState& state = *buffer.state();
    if (offset > state.bytes || bytes > state.bytes - offset)
        throw Error(ErrorCode::invalid_argument, operation,
                    range_text(offset, bytes) + " reach outside the " + role + ", which has " +
                        std::to_string(state.bytes) + " bytes",
                    "Offset plus size may be at most the buffer's size.");
    return state;
}

const BufferState& checked_own(const QueueState& queue, const Buffer& buffer, std::size_t offset, std::size_t bytes,
                               const char* operation, const char* role) {
    const BufferState& state = checked_range(buffer, offset, bytes, operation, role);
    if (state.device != queue.device)
        throw Error(ErrorCode::invalid_argument, operation,
                    std::string("the ") + role + " is on device " + state.device->info.id + ", this queue on " +
                        queue.device->info.id,
                    "Use a queue of the buffer's device, or Queue::copy between devices.");
    return state;
}

void check_host(const void* memory, std::size_t bytes, const char* operation, const char* role) {
    if (!memory && bytes > 0)
        throw Error(ErrorCode::invalid_argument, operation, std::string("the ") + role + " is a null pointer",
                    "Pass host memory of the size that is copied.");
}

} // namespace

Device Queue::device() const { return Device(checked_queue(state_, "Queue::device").device); }

void Queue::write(const Buffer& destination, std::size_t offset, const void* source, std::size_t bytes) const {
    constexpr auto operation = "Queue::write";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    const BufferState& buffer = checked_own(queue, destination, offset, bytes, operation, "destination");
    check_host(source, bytes, operation, "source");
    if (bytes == 0)
        return;
    submit(
        queue, operation, {&buffer.memory},
        [&](backend::Queue& native) { native.write(buffer.memory, offset, source, bytes); },
        [&] {
            const auto* first = static_cast<const std::byte*>(source);
            return parked_call(
                operation,
                [memory = buffer.memory, offset, copied = std::vector<std::byte>(first, first + bytes)](
                    backend::Queue& native) { native.write(memory, offset, copied.data(), copied.size()); },
                false);
        });
}

void Queue::read(void* destination, const Buffer& source, std::size_t offset, std::size_t bytes) const {
    constexpr auto operation = "Queue::read";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    const BufferState& buffer = checked_own(queue, source, offset, bytes, operation, "source");
    check_host(destination, bytes, operation, "destination");
    if (bytes == 0)
        return settle(queue, operation);
    std::shared_ptr<EventState> arrived;
    std::exception_ptr refused;
    const FormerUsers former = former_users(queue, operation, {&buffer.memory});
    {
        const std::lock_guard lock(queue.mutex);
        refuse_while_recording(queue, operation);
        if (!queue.failure)
            call_backend(*queue.device, operation, [&] {
                queue.use(Memories{&buffer.memory}, former);
                auto command = parked_call(
                    operation,
                    [=, memory = buffer.memory](backend::Queue& native) {
                        native.read(destination, memory, offset, bytes);
                    },
                    false);
                if (queue.is_parked())
                    queue.park(std::move(command));
                else
                    command->run(queue);
            });
        try {
            arrived = queue.record();
        } catch (...) {
            refused = std::current_exception(); // thrown below, once nothing can touch `destination` any more
        }
    }
    // Another thread may read and clear the queue's failure; the event tells whether this read was dropped.
    std::exception_ptr dropped;
    try {
        if (arrived)
            detail::wait_for(*arrived);
    } catch (...) {
        dropped = std::current_exception();
    }
    if (!dropped && arrived)
        return;
    settle(queue, operation);
    if (dropped)
        throw_named(dropped, operation);
    call_backend(*queue.device, operation, [&] { std::rethrow_exception(refused); });
}

void Queue::copy(const Buffer& destination, std::size_t destination_offset, const Buffer& source,
                 std::size_t source_offset, std::size_t bytes) const {
    constexpr auto operation = "Queue::copy";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    const BufferState& to = checked_range(destination, destination_offset, bytes, operation, "destination");
    const BufferState& from = checked_range(source, source_offset, bytes, operation, "source");
    if (to.device != queue.device && from.device != queue.device)
        throw Error(ErrorCode::invalid_argument, operation,
                    "the buffers are on " + to.device->info.id + " and " + from.device->info.id + ", this queue on " +
                        queue.device->info.id,
                    "Use a queue of one of the two devices.");
    if (&to == &from && bytes > 0 && destination_offset < source_offset + bytes &&
        source_offset < destination_offset + bytes)
        throw Error(ErrorCode::invalid_argument, operation,
                    "source (" + range_text(source_offset, bytes) + ") and destination (offset " +
                        std::to_string(destination_offset) + ") overlap in one buffer",
                    "Copy through a second buffer.");
    if (bytes == 0)
        return;
    const auto reached = [&] {
        DeviceState& other = *(to.device == queue.device ? from : to).device;
        return other.info.backend == queue.device->info.backend &&
               call_backend(*queue.device, operation, [&] { return queue.device->device->reaches(*other.device); });
    };
    if (to.device != from.device)
        (to.device == queue.device ? from : to).device->check_usable(operation);
    if (to.device == from.device || reached())
        return submit(
            queue, operation, {&to.memory, &from.memory},
            [&](backend::Queue& native) {
                native.copy(to.memory, destination_offset, from.memory, source_offset, bytes);
            },
            [&] {
                return parked_call(
                    operation,
                    [=, to_memory = to.memory, from_memory = from.memory](backend::Queue& native) {
                        native.copy(to_memory, destination_offset, from_memory, source_offset, bytes);
                    },
                    true);
            });
    const Transfer transfer{destination.state(), destination_offset, source.state(), source_offset, bytes};
    const FormerUsers former = former_users(queue, operation, {&to.memory, &from.memory});
    const std::lock_guard lock(queue.mutex);
    refuse_while_recording(queue, operation);
    if (!queue.failure)
        call_backend(*queue.device, operation, [&] {
            queue.use(Memories{&to.memory, &from.memory}, former);
            queue.park(staged_copy(transfer));
        });
}

void Queue::fill(const Buffer& destination, std::size_t offset, std::size_t bytes, const void* pattern,
                 std::size_t pattern_size) const {
    constexpr auto operation = "Queue::fill";
    constexpr std::size_t largest = 16;
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    const BufferState& buffer = checked_own(queue, destination, offset, bytes, operation, "destination");
    check_host(pattern, pattern_size, operation, "pattern");
    if (pattern_size == 0 || pattern_size > largest || (pattern_size & (pattern_size - 1)) != 0)
        throw Error(ErrorCode::invalid_argument, operation,
                    "a pattern of " + std::to_string(pattern_size) + " bytes cannot be filled with",
                    "Use a pattern of 1, 2, 4, 8 or 16 bytes.");
    if (offset % pattern_size != 0 || bytes % pattern_size != 0)
        throw Error(ErrorCode::invalid_argument, operation,
                    range_text(offset, bytes) + " are not whole patterns of " + std::to_string(pattern_size) + " bytes",
                    "Make offset and size multiples of the pattern's size.");
    if (bytes == 0)
        return;
    submit(
        queue, operation, {&buffer.memory},
        [&](backend::Queue& native) { native.fill(buffer.memory, offset, bytes, pattern, pattern_size); },
        [&] {
            std::array<std::byte, largest> copied{};
            std::memcpy(copied.data(), pattern, pattern_size);
            return parked_call(
                operation,
                [=, memory = buffer.memory](backend::Queue& native) {
                    native.fill(memory, offset, bytes, copied.data(), pattern_size);
                },
                true);
        });
}

Event Queue::record() const {
    constexpr auto operation = "Queue::record";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_process(operation); // of a lost device too: the event carries the loss
    const std::lock_guard lock(queue.mutex);
    refuse_while_recording(queue, operation);
    return Event(call_backend(*queue.device, operation, [&] { return queue.record(); }));
}

void Queue::wait_for(const Event& event) const {
    constexpr auto operation = "Queue::wait_for";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    if (!event)
        throw Error(ErrorCode::invalid_argument, operation, "the Event is an empty handle",
                    "Take one from Queue::record.");
    event.state()->device->check_process(operation); // the other device may be a parent's, though this one is not
    const std::lock_guard lock(queue.mutex);
    refuse_while_recording(queue, operation);
    if (queue.failure)
        return;
    call_backend(*queue.device, operation, [&] {
        auto command = std::make_unique<WaitCommand>(event.state());
        if (queue.is_parked() || command->run(queue) == ParkedCommand::Step::waiting)
            queue.park(std::move(command));
    });
}

void Queue::flush() const {
    constexpr auto operation = "Queue::flush";
    QueueState& queue = checked_queue(state_, operation);
    queue.device->check_usable(operation);
    const std::lock_guard lock(queue.mutex);
    refuse_while_recording(queue, operation);
    if (!queue.is_parked()) // else the bridge flushes what it hands over
        call_backend(*queue.device, operation, [&] { queue.native->flush(); });
}

void Queue::wait() const {
    QueueState& queue = checked_queue(state_, "Queue::wait");
    queue.device->check_process("Queue::wait");
    settle(queue, "Queue::wait");
}

} // namespace devq
