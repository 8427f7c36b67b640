#include "fork.hpp"
#include "state.hpp"
#include <atomic>
#include <devq/error.hpp>
#include <pthread.h>

namespace devq::detail {

namespace {

std::atomic<std::uint64_t> generation{0};

void in_child() { generation.fetch_add(1, std::memory_order_relaxed); }

// Before main(), so that no fork can come before it; the handler goes with this library when that is unloaded.
[[maybe_unused]] const int installed = pthread_atfork(nullptr, nullptr, in_child);

} // namespace

std::uint64_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void DeviceState::check_process(const char* operation) const {
    if (fork_generation != detail::fork_generation())
        throw Error(
            ErrorCode::unsupported, operation,
            "the device " + info.id + " was opened by a process that this one was forked from",
            "A forked child cannot use its parent's devices: open devices after fork(), or start the child with "
            "exec or posix_spawn.");
}

} // namespace devq::detail
