#pragma once
/// A point in a cpu queue.

#include "backend.hpp"
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace devq::cpu {

class QueueCore;

class Event final : public backend::Event {
public:
    /// Command `number` of `queue`: who waits for it runs commands itself where no thread has begun to.
    Event(std::weak_ptr<QueueCore> queue, std::uint64_t number) noexcept : queue_(std::move(queue)), number_(number) {}
    bool done() override { return done_.load(std::memory_order_acquire); }
    void wait() override;
    std::uint64_t timestamp_ns() override { return timestamp_; }

    /// By the queue that recorded it: reached, or dropped behind `failure`.
    void complete(std::exception_ptr failure) noexcept;
    /// Only after done().
    const std::exception_ptr& failure() const noexcept { return failure_; }
    /// True: `queue` will be resumed when the event completes. False: it has completed already.
    bool resume_later(const std::shared_ptr<QueueCore>& queue);

private:
    const std::weak_ptr<QueueCore> queue_;
    const std::uint64_t number_;
    std::atomic<bool> done_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::exception_ptr failure_;
    std::uint64_t timestamp_ = 0;
    std::vector<std::shared_ptr<QueueCore>> parked_;
};

} // namespace devq::cpu
