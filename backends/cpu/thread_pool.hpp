#pragma once
/// The threads of a cpu device. They execute queues (one thread at a time each) and help with launches that are worth
/// sharing. An idle thread spins briefly, then sleeps.

#include "fiber.hpp"
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace devq::cpu {

class Bystanders;

/// What a thread needs while it runs kernels; reused from launch to launch.
struct Worker {
    /// At least `bytes`, 128-byte aligned; what was there is lost. Throws out_of_memory.
    void* scratch(std::size_t bytes);
    FiberStacks stacks;
    Bystanders* bystanders = nullptr; ///< of what it runs now

    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

private:
    void* scratch_ = nullptr;
    std::size_t scratch_bytes_ = 0;
};

/// Something that one thread of the pool runs at a time; in the pool's list at most once.
class Runnable {
public:
    virtual ~Runnable() = default;
    virtual void run(Worker& worker) noexcept = 0;

private:
    friend class ThreadPool;
    std::shared_ptr<Runnable> next_;
    std::atomic<bool> listed_{false};
};

/// Work on 0..total, shared by the thread that owns it and those that join.
struct Job {
    using Body = void (*)(void* context, Worker& worker, std::uint64_t first, std::uint64_t last) noexcept;
    Body body = nullptr;
    void* context = nullptr;
    std::uint64_t total = 0;
    std::uint64_t chunk = 1;
    /// Where it is not 0: each thread makes its chunks larger or smaller, to take about so long, ...
    std::uint64_t chunk_ns = 0;
    /// ... and smaller when so many threads come near the end, so that they end together.
    unsigned threads = 1;
    std::atomic<std::uint64_t> next{0};

    /// Takes chunks until none is left.
    void work(Worker& worker) noexcept;
    /// No further chunk is taken.
    void cancel() noexcept { next.store(total, std::memory_order_relaxed); }

private:
    friend class ThreadPool;
    unsigned places_ = 0;              // that may still join
    Bystanders* bystanders_ = nullptr; // may join
    std::atomic<unsigned> active_{0};  // that joined and have not left
};

/// Threads of the application that wait for something whose jobs one thread at a time shares; they take part meanwhile.
class Bystanders {
public:
    /// Is there a job with a place? Soon out of date.
    bool wanted() const noexcept { return wanted_.load(std::memory_order_acquire); }

private:
    friend class ThreadPool;
    std::atomic<unsigned> count_{0}; // that look, or work
    std::atomic<bool> wanted_{false};
};

/// Of each thread, whatever `ulimit -s` says: a work-item's private variables, of which the front end allows 256 KiB,
/// and as much as the compiler needs besides. Touched only as far as a kernel needs.
constexpr std::size_t worker_stack_bytes = std::size_t{8} << 20;

/// Less than that on a thread that is not the pool's, and it does not run kernels.
constexpr std::size_t guest_stack_bytes = std::size_t{2} << 20;

/// Has the calling thread, which may be any of the application's, the room for a kernel?
bool has_stack_for_kernels() noexcept;

class ThreadPool {
public:
    explicit ThreadPool(unsigned threads);
    /// Nothing is listed any more. Joins.
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned size() const noexcept { return static_cast<unsigned>(threads_.size()); }

    /// Has a thread run `runnable`, which is not listed now.
    void schedule(std::shared_ptr<Runnable> runnable) noexcept;
    /// Listed, and not begun: soon out of date.
    bool listed(const Runnable& runnable) const noexcept { return runnable.listed_.load(std::memory_order_relaxed); }
    /// Takes `runnable` back if no thread has begun with it; true on success.
    bool unschedule(Runnable& runnable) noexcept;

    /// Runs `job` from where it stands, together with at most `helpers` threads that are free.
    void share(Job& job, Worker& worker, unsigned helpers) noexcept;
    /// Takes a place in the job that `bystanders` may join; null when there is none. Then the job is there until
    /// leave().
    Job* enter(const Bystanders& bystanders) noexcept;
    void leave(Job& job) noexcept;

    /// A thread of the application waits, awake, for what the pool does. The pool's threads leave it a core.
    class Caller {
    public:
        explicit Caller(ThreadPool& pool) noexcept : pool_(pool) { pool_.come(1); }
        ~Caller() { pool_.go(); }
        Caller(const Caller&) = delete;
        Caller& operator=(const Caller&) = delete;

    private:
        ThreadPool& pool_;
    };
    /// While it lives, the thread stands by for jobs.
    class StandingBy {
    public:
        explicit StandingBy(Bystanders& bystanders) noexcept : bystanders_(bystanders) {
            bystanders_.count_.fetch_add(1, std::memory_order_seq_cst);
        }
        ~StandingBy() { bystanders_.count_.fetch_sub(1, std::memory_order_seq_cst); }
        StandingBy(const StandingBy&) = delete;
        StandingBy& operator=(const StandingBy&) = delete;

    private:
        Bystanders& bystanders_;
    };
    /// So many callers wake up, or one goes to sleep.
    void come(unsigned callers) noexcept { callers_.fetch_add(callers, std::memory_order_relaxed); }
    void go() noexcept { callers_.fetch_sub(1, std::memory_order_relaxed); }
    /// Has a caller a core to itself? Where it has not, its spinning would keep from work what it waits for.
    bool callers_may_spin() const noexcept {
        return callers_.load(std::memory_order_relaxed) <=
               spinning_.load(std::memory_order_relaxed) + sleeping_.load(std::memory_order_relaxed);
    }

    /// True when something waits for a thread.
    bool wanted() const noexcept { return pending_.load(std::memory_order_relaxed) != 0; }

    /// Lends a worker to a thread that is not of the pool; null when memory is short.
    std::unique_ptr<Worker> borrow() noexcept;
    void give_back(std::unique_ptr<Worker> worker) noexcept;

private:
    struct Start {
        ThreadPool* pool = nullptr;
        unsigned index = 0;
    };
    void start(Start& start); // throws std::system_error
    void main(unsigned index) noexcept;
    void changed_locked() noexcept; // something became pending
    void take_place_locked(Job& job) noexcept;
    void withdraw_locked(Job& job) noexcept; // no further thread joins
    bool may_spin() const noexcept {
        return callers_.load(std::memory_order_relaxed) <= sleeping_.load(std::memory_order_relaxed);
    }
    std::shared_ptr<Runnable> take_runnable();
    Job* join_job();

    std::mutex mutex_;
    std::condition_variable wake_, left_;
    std::shared_ptr<Runnable> first_;
    Runnable* last_ = nullptr;
    std::vector<Job*> jobs_;           // that may be joined
    std::atomic<unsigned> pending_{0}; // listed runnables and jobs with places
    std::atomic<unsigned> spinning_{0};
    std::atomic<unsigned> sleeping_{0}; // changed under the lock
    std::atomic<unsigned> callers_{0};  // that wait and are awake
    unsigned owners_waiting_ = 0;
    bool stopping_ = false;
    std::vector<std::unique_ptr<Worker>> guests_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Start> starts_; // what the threads are given
    std::vector<pthread_t> threads_;
};

/// A pause in a spinning loop.
inline void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Nanoseconds of a steady clock.
std::uint64_t now_ns() noexcept;

/// Spins until `ready()` or for about `nanoseconds`; says whether it became ready.
template <class Ready>
bool spin_for(std::uint64_t nanoseconds, Ready ready) noexcept {
    const std::uint64_t end = now_ns() + nanoseconds;
    for (;;) {
        for (int i = 0; i < 16; ++i) {
            if (ready())
                return true;
            relax();
        }
        if (now_ns() >= end)
            return ready();
    }
}

} // namespace devq::cpu
