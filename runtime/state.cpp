#include "state.hpp"
#include "fork.hpp"
#include "memory_pool.hpp"
#include <new>
#include <utility>
#include <vector>

namespace devq::detail {

namespace {

/// In a forked child nothing of a driver may be touched, not even to give it back: its threads and locks stayed with
/// the parent. What a handle held is kept here until the child ends.
void abandon(std::shared_ptr<void> object) noexcept {
    static auto* kept = new std::vector<std::shared_ptr<void>>;
    static std::mutex mutex;
    try {
        const std::lock_guard lock(mutex);
        kept->push_back(std::move(object));
    } catch (...) {
        // No memory for the list: the object is given back after all, which is the worst that is left.
    }
}

template <class T>
void leave(const DeviceState* device, std::shared_ptr<T>& object) noexcept {
    if (object && device && device->forked())
        abandon(std::exchange(object, nullptr));
}

} // namespace

std::shared_ptr<MemoryPool> make_memory_pool() { return std::make_shared<MemoryPool>(); }

DeviceState::~DeviceState() {
    if (!forked())
        return;
    abandon(std::move(pool));
    abandon(std::move(programs));
    abandon(std::move(builtins));
    abandon(std::move(device));
}

bool DeviceState::forked() const noexcept { return fork_generation != detail::fork_generation(); }

void DeviceState::note(const std::exception_ptr& failure) noexcept {
    if (!failure)
        return;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::device_lost)
            return;
        const std::lock_guard lock(mutex_);
        if (!loss_)
            loss_ = failure;
        lost_.store(true, std::memory_order_release);
    } catch (...) {
        // Of another kind: not a loss.
    }
}

std::exception_ptr DeviceState::loss() const noexcept {
    if (!lost_.load(std::memory_order_acquire))
        return nullptr;
    const std::lock_guard lock(mutex_);
    return loss_;
}

void DeviceState::throw_loss(const char* operation) const {
    try {
        std::rethrow_exception(loss());
    } catch (const Error& error) {
        throw error.named(operation);
    }
}

BufferState::~BufferState() {
    leave(device.get(), memory);
    if (memory && block)
        device->pool->give_back(block, std::move(memory));
}
ProgramState::~ProgramState() { leave(device.get(), program); }
KernelState::~KernelState() { leave(program ? program->device.get() : nullptr, kernel); }
EventState::~EventState() { leave(device.get(), native); }

void EventState::passed() noexcept {
    if (queue)
        queue->pass(number);
}

void EventState::set(std::shared_ptr<backend::Event> event) noexcept {
    const std::lock_guard lock(mutex);
    native = std::move(event);
    changed.notify_all();
}

void EventState::fail(const std::exception_ptr& why) noexcept {
    const std::lock_guard lock(mutex);
    failure = why;
    changed.notify_all();
}

void rethrow(DeviceState& device, const char* operation) {
    device.note(std::current_exception());
    rethrow(operation);
}

void rethrow(const char* operation) {
    try {
        throw;
    } catch (const Error& error) {
        throw error.named(operation);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, operation, "the host has no memory left for this command",
                    "Free host memory, or use smaller pieces.");
    } catch (const std::exception& error) {
        throw Error(ErrorCode::unavailable, operation, error.what(), "The system refused something that devq needs.");
    }
}

} // namespace devq::detail
