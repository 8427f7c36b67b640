#include "event.hpp"
#include "queue.hpp"

namespace devq::cpu {

namespace {
constexpr std::uint64_t wait_spin_ns = 10'000;
}

void Event::wait() {
    if (!done())
        if (const std::shared_ptr<QueueCore> queue = queue_.lock())
            queue->wait_passed(number_);
    if (!spin_for(wait_spin_ns, [this] { return done(); })) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return done(); });
    }
    if (failure_)
        std::rethrow_exception(failure_);
}

void Event::complete(std::exception_ptr failure) noexcept {
    std::vector<std::shared_ptr<QueueCore>> parked;
    {
        const std::lock_guard lock(mutex_);
        failure_ = std::move(failure);
        timestamp_ = now_ns();
        parked.swap(parked_);
        done_.store(true, std::memory_order_release);
        changed_.notify_all();
    }
    for (std::shared_ptr<QueueCore>& queue : parked)
        QueueCore::resume(std::move(queue));
}

bool Event::resume_later(const std::shared_ptr<QueueCore>& queue) {
    const std::lock_guard lock(mutex_);
    if (done())
        return false;
    parked_.push_back(queue);
    return true;
}

} // namespace devq::cpu
