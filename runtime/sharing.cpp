#include "sharing.hpp"
#include "bridge.hpp"
#include "memory_pool.hpp"
#include "queue_state.hpp"
#include "recording.hpp"
#include "registry.hpp"

namespace devq::detail {

namespace {

template <class Handle>
decltype(auto) state_of(const Handle& handle, const char* operation, const char* what) {
    if (!handle)
        throw Error(ErrorCode::invalid_argument, operation, std::string("the ") + what + " is an empty handle",
                    "Pass one that devq has made.");
    return handle.state();
}

/// The backend's event, once its queue has handed it over.
std::shared_ptr<backend::Event> recorded(EventState& event) {
    std::unique_lock lock(event.mutex);
    bridge::wait(lock, event.changed, [&] { return event.native || event.failure; });
    if (event.failure)
        std::rethrow_exception(event.failure);
    return event.native;
}

/// Memory of others with what keeps it there. Kernels and copies hold a share of the object that the backend gave, so
/// `owner` hangs on that.
std::shared_ptr<backend::Memory> owned(std::shared_ptr<backend::Memory> memory, std::shared_ptr<void> owner) {
    if (!owner)
        return memory;
    backend::Memory* const raw = memory.get();
    return {raw, [memory = std::move(memory), owner = std::move(owner)](backend::Memory*) mutable noexcept {
                memory.reset(); // first: it may wait for the commands that use it
                owner.reset();
            }};
}

} // namespace

DeviceState& Sharing::checked(const std::shared_ptr<DeviceState>& device) const {
    device->check_usable(operation);
    if (device->info.backend != backend)
        throw Error(ErrorCode::unsupported, operation,
                    "device " + device->info.id + " belongs to the backend " + device->info.backend,
                    std::string("Open a device of the backend ") + backend + '.');
    return *device;
}

backend::NativeHandle Sharing::given(std::optional<backend::NativeHandle> handle) const {
    if (!handle)
        throw Error(ErrorCode::unsupported, operation, std::string("the backend ") + backend + " gives no such handle",
                    "Exchange data through host memory (Queue::read, Queue::write).");
    return *handle;
}

void Sharing::check_pointer(const void* handle, const char* what) const {
    if (!handle)
        throw Error(ErrorCode::invalid_argument, operation, std::string("the ") + what + " is null",
                    "Pass a handle that the native interface has made.");
}

backend::NativeHandle Sharing::device(const Device& device) const {
    DeviceState& state = checked(state_of(device, operation, "Device"));
    return given(call_backend(state, operation, [&] { return state.device->native_device(); }));
}

backend::NativeHandle Sharing::context(const Device& device) const {
    DeviceState& state = checked(state_of(device, operation, "Device"));
    return given(call_backend(state, operation, [&] { return state.device->native_context(); }));
}

backend::NativeHandle Sharing::queue(const Queue& queue) const {
    QueueState& state = *state_of(queue, operation, "Queue");
    DeviceState& device = checked(state.device);
    std::shared_ptr<EventState> mark;
    {
        const std::lock_guard lock(state.mutex);
        refuse_while_recording(state, operation);
        if (state.is_parked())
            mark = call_backend(device, operation, [&] { return state.record(); });
    }
    if (mark) {
        try {
            recorded(*mark);
        } catch (const Error&) {
            // The queue has failed and dropped what was parked: that is for its wait() to tell.
        }
    }
    const std::lock_guard lock(state.mutex);
    return given(call_backend(device, operation, [&] { return state.native->native_handle(); }));
}

backend::NativeHandle Sharing::memory(const Buffer& buffer) const {
    const BufferState& state = *state_of(buffer, operation, "Buffer");
    DeviceState& device = checked(state.device);
    if (!state.memory)
        return 0;
    const backend::NativeHandle handle =
        given(call_backend(device, operation, [&] { return state.memory->native_handle(); }));
    if (state.block) { // others' commands do not wait for those who had the memory before
        state.block->lent.store(true, std::memory_order_relaxed);
        wait_for_former(state.block->former);
    }
    return handle;
}

backend::NativeHandle Sharing::event(const Event& event) const {
    EventState& state = *state_of(event, operation, "Event");
    DeviceState& device = checked(state.device);
    try {
        return given(recorded(state)->native_handle());
    } catch (const Error& error) {
        static_cast<void>(device); // perhaps another device's failure: no loss of this one is noted
        throw error.named(operation);
    }
}

Device Sharing::wrap_device(backend::NativeHandle device, backend::NativeHandle context) const {
    try {
        return Device(Registry::instance().adopt(backend, device, context));
    } catch (const Error& error) {
        throw error.named(operation);
    }
}

Queue Sharing::wrap_queue(const Device& device, backend::NativeHandle queue) const {
    const auto& state = state_of(device, operation, "Device");
    checked(state);
    return Queue(
        QueueState::create(state, call_backend(*state, operation, [&] { return state->device->import_queue(queue); })));
}

Buffer Sharing::wrap_memory(const Device& device, backend::NativeHandle memory, std::size_t bytes,
                            std::shared_ptr<void> owner) const {
    const auto& state = state_of(device, operation, "Device");
    checked(state);
    auto buffer = std::make_shared<BufferState>();
    buffer->device = state;
    buffer->memory = owned(call_backend(*state, operation, [&] { return state->device->import_memory(memory, bytes); }),
                           std::move(owner));
    buffer->bytes = bytes;
    return Buffer(std::move(buffer));
}

Event Sharing::wrap_event(const Device& device, backend::NativeHandle event) const {
    const auto& state = state_of(device, operation, "Device");
    checked(state);
    auto wrapped = std::make_shared<EventState>();
    wrapped->device = state;
    wrapped->native = call_backend(*state, operation, [&] { return state->device->import_event(event); });
    return Event(std::move(wrapped));
}

} // namespace devq::detail
