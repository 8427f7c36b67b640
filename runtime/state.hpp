#pragma once
/// What stands behind the public handles. Internal to the runtime; operations use submit_launch() and builtin.hpp.

#include "backend.hpp"
#include "frontend/frontend.hpp"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/event.hpp>
#include <devq/program.hpp>
#include <devq/queue.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace devq::detail {

class BuiltinKernels; // kernels of devq's own already looked up for a device: builtin.hpp

struct DeviceState : std::enable_shared_from_this<DeviceState> {
    DeviceInfo info;
    std::shared_ptr<backend::Device> device;
    std::uint64_t fork_generation = 0; ///< of the process that opened it
    std::shared_ptr<BuiltinKernels> builtins;

    /// Throws unsupported in a forked child. First thing in every entry point.
    void check_process(const char* operation) const;
};

struct BufferState {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<backend::Memory> memory; ///< null for 0 bytes
    std::size_t bytes = 0;
};

struct ProgramState {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<const frontend::Module> module;
    std::shared_ptr<backend::Program> program;
};

struct KernelState {
    std::shared_ptr<ProgramState> program;
    frontend::KernelSignature signature;
    std::shared_ptr<backend::Kernel> kernel;
};

struct EventState {
    std::shared_ptr<DeviceState> device;
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<backend::Event> native; ///< null while the queue that records it is parked
    std::exception_ptr failure;             ///< the queue failed before it could be recorded
};

struct QueueState;

/// Hands a launch to `queue`, in order, also when the queue is parked behind another device's event. Arguments are
/// trusted: public launches are checked by launch_check.cpp first, operations check their own views.
void submit_launch(const Queue& queue, const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                   std::span<const backend::Argument> arguments);

} // namespace devq::detail
