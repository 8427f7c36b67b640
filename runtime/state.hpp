#pragma once
/// What stands behind the public handles. Internal to the runtime; operations use submit_launch() and builtin.hpp.
/// QueueState has a header of its own, queue_state.hpp.

#include "backend.hpp"
#include "cache/program_cache.hpp"
#include "frontend/frontend.hpp"
#include <atomic>
#include <condition_variable>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/event.hpp>
#include <devq/program.hpp>
#include <devq/queue.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace devq::detail {

class BuiltinKernels; // kernels of devq's own already looked up for a device: builtin.hpp
class MemoryBlock;
class MemoryPool;
struct QueueProgress;
std::shared_ptr<MemoryPool> make_memory_pool();

struct DeviceState : std::enable_shared_from_this<DeviceState> {
    ~DeviceState();

    DeviceInfo info;
    std::shared_ptr<backend::Device> device;
    std::uint64_t fork_generation = 0; ///< of the process that opened it
    std::shared_ptr<BuiltinKernels> builtins;
    std::shared_ptr<ProgramCache> programs = std::make_shared<ProgramCache>();
    std::shared_ptr<MemoryPool> pool = make_memory_pool(); ///< goes before the device

    /// Throws unsupported in a forked child. First thing in every entry point.
    void check_process(const char* operation) const;
    /// check_process(), then the device's loss: a lost device stays lost.
    void check_usable(const char* operation) const {
        check_process(operation);
        if (lost_.load(std::memory_order_acquire))
            throw_loss(operation);
    }
    /// In a forked child of the process that opened it: the destructors of what is behind handles then leave drivers
    /// alone.
    bool forked() const noexcept;
    /// Remembers `failure` for ever when its code is device_lost.
    void note(const std::exception_ptr& failure) noexcept;
    std::exception_ptr loss() const noexcept; ///< null while the device is there

private:
    [[noreturn]] void throw_loss(const char* operation) const;

    std::atomic<bool> lost_ = false;
    mutable std::mutex mutex_;
    std::exception_ptr loss_;
};

struct BufferState {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<backend::Memory> memory; ///< null for 0 bytes
    std::size_t bytes = 0;
    MemoryBlock* block = nullptr; ///< of the device's pool; null for memory that somebody else has made

    BufferState() = default;
    BufferState(const BufferState&) = delete;
    BufferState& operator=(const BufferState&) = delete;
    ~BufferState();
};

struct ProgramState {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<const frontend::Module> module;
    std::shared_ptr<backend::Program> program;

    ~ProgramState();
};

struct KernelState {
    std::shared_ptr<ProgramState> program;
    frontend::KernelSignature signature;
    std::shared_ptr<backend::Kernel> kernel;

    ~KernelState();
};

struct EventState {
    std::shared_ptr<DeviceState> device;
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<backend::Event> native; ///< null while the queue that records it is parked
    std::exception_ptr failure;             ///< the queue failed before it could be recorded
    std::shared_ptr<QueueProgress> queue;   ///< null for an event that somebody else has made
    std::uint64_t number = 0;               ///< of the last command before it

    ~EventState();
    void passed() noexcept; ///< to be called by whoever has seen it reached without a failure
    void set(std::shared_ptr<backend::Event> event) noexcept;
    void fail(const std::exception_ptr& why) noexcept;
};

/// Blocks until `event` is reached; throws the failure that it carries.
void wait_for(EventState& event);

struct QueueState;

/// Hands a launch to `queue`, in order, also when the queue is parked behind another device's event. Arguments are
/// trusted: public launches are checked by launch_check.cpp first, operations check their own views.
/// `operation` names the launch in the message of a backend that refuses it.
void submit_launch(const Queue& queue, const std::shared_ptr<backend::Kernel>& kernel,
                   const backend::LaunchRange& range, std::span<const backend::Argument> arguments,
                   const char* operation = "Queue::launch");

/// Throws on the exception now handled as the library's own: a devq::Error that names `operation`, with the device's
/// loss noted. To be called in a catch block.
[[noreturn]] void rethrow(DeviceState& device, const char* operation);
/// The same for what may be another device's failure, come here through an event: no loss is noted.
[[noreturn]] void rethrow(const char* operation);

/// A call into a backend on behalf of `operation`.
template <class Call>
decltype(auto) call_backend(DeviceState& device, const char* operation, Call&& call) {
    try {
        return call();
    } catch (...) {
        rethrow(device, operation);
    }
}

} // namespace devq::detail
