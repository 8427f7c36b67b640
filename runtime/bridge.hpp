#pragma once
/// The one thread of the runtime. It polls what parked queues wait for and submits what was parked; started when the
/// first queue is parked, stopped when the process exits. No driver callback ever calls a driver.

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace devq::detail {

struct QueueState;

namespace bridge {

using Entry = std::list<std::shared_ptr<QueueState>>; ///< of one element: adding it cannot fail

void start(); ///< makes sure that the thread runs; throws unavailable when the system refuses one
void add(Entry&& queue) noexcept;

/// Waits on `changed` until `ready`. Once the thread has been stopped (static objects may outlive it) the caller does
/// the thread's work meanwhile.
bool running() noexcept;
void help() noexcept;

template <class Ready>
void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready) {
    while (!ready()) {
        if (running()) {
            changed.wait_for(lock, std::chrono::milliseconds(100), ready);
        } else {
            lock.unlock();
            help();
            lock.lock();
        }
    }
}

} // namespace bridge
} // namespace devq::detail
