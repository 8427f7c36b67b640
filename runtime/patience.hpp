#pragma once
/// Drivers that never answer. What may hang runs in a thread of its own; when time is up the caller goes on without it.

#include <chrono>
#include <devq/api.hpp>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace devq::detail {

/// How long a driver may take for one answer: DEVQ_TIMEOUT in seconds, else a minute (a large machine whose GPUs sleep
/// takes half of that).
DEVQ_API std::chrono::seconds patience();

/// Counts a call that was given up. Its thread may hold a driver's locks, so that an ordinary end of the process could
/// wait for it for ever: a program of devq's own then ends by _exit.
DEVQ_API void note_given_up() noexcept;
DEVQ_API bool something_given_up() noexcept;

/// What `work` returns or throws; nothing where it is not back after `limit`. Its thread then goes on by itself, so
/// that `work` must own all it touches; what it makes in the end is destroyed there.
template <class Work>
auto in_time(Work work, std::chrono::milliseconds limit) -> std::optional<decltype(work())> {
    const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
    auto result = task->get_future();
    try {
        std::thread([task] { (*task)(); }).detach();
    } catch (const std::system_error&) { // the system gives no more threads
        (*task)();
    }
    if (result.wait_for(limit) == std::future_status::ready)
        return result.get();
    note_given_up();
    return std::nullopt;
}

} // namespace devq::detail
