#include "bridge.hpp"
#include "fork.hpp"
#include "queue_state.hpp"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <system_error>
#include <thread>

namespace devq::detail::bridge {

namespace {

using Clock = std::chrono::steady_clock;

/// Polls often at first, then at an eighth of the time already waited, so that a wait is never much longer than it must
/// be.
std::chrono::microseconds pause_after(Clock::duration waited) {
    using std::chrono::microseconds;
    return std::clamp(std::chrono::duration_cast<microseconds>(waited) / 8, microseconds(10), microseconds(1000));
}

class Bridge {
public:
    const std::uint64_t generation = fork_generation(); ///< of the process whose thread it has

    void start() {
        const std::lock_guard lock(mutex_);
        if (thread_.joinable() || stopped_)
            return;
        // Signals are for the program's own threads.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error& error) {
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            throw Error(ErrorCode::unavailable, "Queue::wait_for",
                        "no thread could be started to wait for another device",
                        "Raise the limit on threads (ulimit -u).", "pthread_create", error.code().value());
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        running_.store(true);
    }

    void add(Entry&& queue) noexcept {
        const std::lock_guard lock(mutex_);
        queues_.splice(queues_.end(), queue);
        added_ = true;
        wake_.notify_one();
    }

    bool running() const noexcept { return running_.load(); }

    /// One look at every parked queue; whether anything moved.
    bool pass() noexcept {
        Entry work;
        {
            const std::lock_guard lock(mutex_);
            work.swap(queues_);
            added_ = false;
        }
        bool moved = false;
        for (auto i = work.begin(); i != work.end();) {
            const QueueState::Progress progress = (*i)->advance();
            moved |= progress.moved;
            i = progress.drained ? work.erase(i) : std::next(i);
        }
        const std::lock_guard lock(mutex_);
        queues_.splice(queues_.begin(), work);
        return moved;
    }

    void stop() noexcept {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            wake_.notify_one();
        }
        if (thread_.joinable())
            thread_.join();
        running_.store(false);
    }

private:
    void run() noexcept {
        auto last_move = Clock::now();
        while (true) {
            {
                std::unique_lock lock(mutex_);
                if (queues_.empty()) {
                    wake_.wait(lock, [&] { return stopped_ || !queues_.empty(); });
                    last_move = Clock::now();
                } else if (!added_) {
                    wake_.wait_for(lock, pause_after(Clock::now() - last_move), [&] { return stopped_ || added_; });
                }
                if (stopped_)
                    return;
            }
            while (pass())
                last_move = Clock::now();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Entry queues_;
    bool added_ = false;
    bool stopped_ = false;
    std::atomic<bool> running_ = false;
    std::thread thread_;
};

std::atomic<Bridge*> current = nullptr;

/// Never freed: a queue that a static object holds may need it after this library's own static objects are gone. In a
/// forked child the parent's thread does not exist, and the child begins anew.
Bridge& instance() {
    Bridge* bridge = current.load(std::memory_order_acquire);
    while (!bridge || bridge->generation != fork_generation()) {
        auto fresh = std::make_unique<Bridge>();
        if (current.compare_exchange_strong(bridge, fresh.get(), std::memory_order_acq_rel))
            bridge = fresh.release();
    }
    return *bridge;
}

struct StopAtExit {
    ~StopAtExit() {
        if (Bridge* bridge = current.load(); bridge && bridge->generation == fork_generation())
            bridge->stop();
    }
};

} // namespace

void start() {
    instance().start();
    static StopAtExit stop;
}

void add(Entry&& queue) noexcept { instance().add(std::move(queue)); }

bool running() noexcept { return instance().running(); }

void help() noexcept {
    if (!instance().pass())
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

} // namespace devq::detail::bridge
