#include "thread_pool.hpp"
#include "isa.hpp"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <devq/error.hpp>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <system_error>

namespace devq::cpu {

namespace {
constexpr std::uint64_t idle_spin_ns = 40'000; // longer than a gap between the launches of a busy program
constexpr std::uint64_t leave_spin_ns = 20'000;
constexpr std::uint64_t bystander_spin_ns = 1'000;
constexpr std::size_t scratch_alignment = 128;
} // namespace

std::uint64_t now_ns() noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

Worker::~Worker() { std::free(scratch_); }

void* Worker::scratch(std::size_t bytes) {
    if (bytes > scratch_bytes_) {
        const std::size_t rounded = (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
        void* fresh = std::aligned_alloc(scratch_alignment, rounded);
        if (fresh == nullptr)
            throw Error(ErrorCode::out_of_memory, "launch",
                        "no room for " + std::to_string(rounded) + " bytes of local memory a thread",
                        "Free memory of the host, or use less local memory.");
        std::free(scratch_);
        scratch_ = fresh;
        scratch_bytes_ = rounded;
    }
    return scratch_;
}

void Job::work(Worker& worker) noexcept {
    std::uint64_t size = chunk;
    for (std::uint64_t start = chunk_ns != 0 ? now_ns() : 0;;) {
        std::uint64_t take = size;
        if (chunk_ns != 0) {
            const std::uint64_t left = total - std::min(total, next.load(std::memory_order_relaxed));
            take = std::max({std::min(size, left / (2 * threads)), size / 16, std::uint64_t{1}});
        }
        const std::uint64_t first = next.fetch_add(take, std::memory_order_relaxed);
        if (first >= total)
            return;
        body(context, worker, first, std::min(first + take, total));
        if (chunk_ns == 0)
            continue;
        const std::uint64_t end = now_ns(), took = end - start;
        start = end;
        if (take == size && took < chunk_ns / 2)
            size *= 2;
        else if (took > chunk_ns * 2)
            size = std::max(size / 2, std::uint64_t{1});
    }
}

ThreadPool::ThreadPool(unsigned threads) {
    jobs_.reserve(64);
    guests_.reserve(8);
    workers_.reserve(threads);
    for (unsigned i = 0; i < threads; ++i)
        workers_.push_back(std::make_unique<Worker>());
    // The application's signal handlers are to run on the application's own threads.
    sigset_t all, before;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
        sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        threads_.reserve(threads);
        starts_.resize(threads);
        for (unsigned i = 0; i < threads; ++i)
            start(starts_[i] = {this, i});
    } catch (const std::system_error&) {
        // Fewer threads than cores still do all the work; none at all do not.
        if (threads_.empty()) {
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            throw;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (const pthread_t thread : threads_)
        pthread_join(thread, nullptr);
}

void ThreadPool::start(Start& start) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, worker_stack_bytes);
    pthread_t thread{};
    const auto entry = [](void* given) -> void* {
        const Start& mine = *static_cast<Start*>(given);
        mine.pool->main(mine.index);
        return nullptr;
    };
    const int code = pthread_create(&thread, &attributes, entry, &start);
    pthread_attr_destroy(&attributes);
    if (code != 0)
        throw std::system_error(code, std::generic_category(), "pthread_create");
    threads_.push_back(thread);
}

bool has_stack_for_kernels() noexcept {
    struct Bounds {
        const char *lowest = nullptr, *highest = nullptr;
        Bounds() noexcept {
            pthread_attr_t attributes;
            if (pthread_getattr_np(pthread_self(), &attributes) != 0)
                return;
            void* address = nullptr;
            std::size_t bytes = 0;
            if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
                lowest = static_cast<const char*>(address);
                highest = lowest + bytes;
            }
            pthread_attr_destroy(&attributes);
        }
    };
    static thread_local const Bounds bounds;
    const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
    return here > bounds.lowest && here < bounds.highest && // else a coroutine's stack, of which nothing is known
           static_cast<std::size_t>(here - bounds.lowest) >= guest_stack_bytes;
}

void ThreadPool::changed_locked() noexcept {
    const unsigned pending = pending_.fetch_add(1, std::memory_order_seq_cst) + 1;
    // A spinning thread sees it, and looks again under the lock before it sleeps.
    if (sleeping_ != 0 && pending > spinning_.load(std::memory_order_seq_cst))
        wake_.notify_one();
}

void ThreadPool::schedule(std::shared_ptr<Runnable> runnable) noexcept {
    const std::lock_guard lock(mutex_);
    Runnable* added = runnable.get();
    added->listed_.store(true, std::memory_order_relaxed);
    if (last_ == nullptr)
        first_ = std::move(runnable);
    else
        last_->next_ = std::move(runnable);
    last_ = added;
    changed_locked();
}

bool ThreadPool::unschedule(Runnable& runnable) noexcept {
    if (!runnable.listed_.load(std::memory_order_relaxed))
        return false;
    std::shared_ptr<Runnable> taken; // dies after the lock
    const std::lock_guard lock(mutex_);
    Runnable* before = nullptr;
    for (std::shared_ptr<Runnable>* at = &first_; *at != nullptr; before = at->get(), at = &(*at)->next_)
        if (at->get() == &runnable) {
            taken = std::move(*at);
            *at = std::move(taken->next_);
            if (last_ == &runnable)
                last_ = before;
            runnable.listed_.store(false, std::memory_order_relaxed);
            pending_.fetch_sub(1, std::memory_order_relaxed);
            return true;
        }
    return false;
}

std::shared_ptr<Runnable> ThreadPool::take_runnable() {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Runnable> taken = std::move(first_);
    if (taken) {
        first_ = std::move(taken->next_);
        if (first_ == nullptr)
            last_ = nullptr;
        taken->listed_.store(false, std::memory_order_relaxed);
        pending_.fetch_sub(1, std::memory_order_relaxed);
    }
    return taken;
}

void ThreadPool::withdraw_locked(Job& job) noexcept {
    const auto at = std::find(jobs_.begin(), jobs_.end(), &job);
    if (at == jobs_.end())
        return;
    jobs_.erase(at);
    pending_.fetch_sub(1, std::memory_order_relaxed);
    if (job.bystanders_ != nullptr)
        job.bystanders_->wanted_.store(false, std::memory_order_relaxed);
}

void ThreadPool::take_place_locked(Job& job) noexcept {
    job.active_.fetch_add(1, std::memory_order_relaxed);
    if (--job.places_ == 0)
        withdraw_locked(job);
}

Job* ThreadPool::join_job() {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty())
        return nullptr;
    Job* job = jobs_.front();
    take_place_locked(*job);
    return job;
}

Job* ThreadPool::enter(const Bystanders& bystanders) noexcept {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(jobs_.begin(), jobs_.end(), [&](const Job* one) { return one->bystanders_ == &bystanders; });
    if (at == jobs_.end())
        return nullptr;
    Job* job = *at;
    take_place_locked(*job);
    return job;
}

void ThreadPool::leave(Job& job) noexcept {
    const std::lock_guard lock(mutex_);
    const bool last = job.active_.fetch_sub(1, std::memory_order_release) == 1; // the job may be gone from here on
    if (last && owners_waiting_ != 0)
        left_.notify_all();
}

void ThreadPool::share(Job& job, Worker& worker, unsigned helpers) noexcept {
    helpers = std::min(helpers, size());
    if (helpers == 0)
        return job.work(worker);
    Bystanders* const bystanders = worker.bystanders;
    job.places_ = helpers;
    job.bystanders_ = bystanders;
    unsigned to_wake = 0;
    {
        const std::lock_guard lock(mutex_);
        if (jobs_.size() < jobs_.capacity()) { // never grows here: this may not throw
            jobs_.push_back(&job);
            const unsigned needed = pending_.fetch_add(1, std::memory_order_seq_cst) + helpers;
            if (bystanders != nullptr)
                bystanders->wanted_.store(true, std::memory_order_release);
            // A spinning thread sees it, and looks again under the lock before it sleeps.
            const unsigned spinning = spinning_.load(std::memory_order_seq_cst);
            to_wake =
                std::min({needed - std::min(needed, spinning), helpers, sleeping_.load(std::memory_order_relaxed)});
        }
    }
    if (to_wake != 0 && bystanders != nullptr) {
        // Who has just submitted is often about to wait, and comes in less time than it takes to wake a thread.
        const auto count = [bystanders] { return bystanders->count_.load(std::memory_order_seq_cst); };
        spin_for(bystander_spin_ns, [&] { return count() != 0; });
        to_wake -= std::min(to_wake, count());
    }
    for (; to_wake != 0; --to_wake)
        wake_.notify_one();
    job.work(worker);
    {
        const std::lock_guard lock(mutex_);
        withdraw_locked(job);
    }
    const auto alone = [&job] { return job.active_.load(std::memory_order_acquire) == 0; };
    if (spin_for(leave_spin_ns, alone))
        return;
    std::unique_lock lock(mutex_);
    ++owners_waiting_;
    left_.wait(lock, alone);
    --owners_waiting_;
}

std::unique_ptr<Worker> ThreadPool::borrow() noexcept {
    const std::lock_guard lock(mutex_);
    if (guests_.empty())
        return std::unique_ptr<Worker>(new (std::nothrow) Worker);
    std::unique_ptr<Worker> worker = std::move(guests_.back());
    guests_.pop_back();
    return worker;
}

void ThreadPool::give_back(std::unique_ptr<Worker> worker) noexcept {
    const std::lock_guard lock(mutex_);
    if (worker && guests_.size() < guests_.capacity()) // above it, the worker goes: this may not throw
        guests_.push_back(std::move(worker));
}

void ThreadPool::main(unsigned index) noexcept {
    pthread_setname_np(pthread_self(), ("devq-cpu-" + std::to_string(index)).c_str());
    const FloatState state; // a thread inherits its maker's: denormals may be off there
    Worker& worker = *workers_[index];
    for (;;) {
        if (wanted()) {
            if (std::shared_ptr<Runnable> runnable = take_runnable()) {
                runnable->run(worker);
                continue;
            }
            if (Job* job = join_job()) {
                job->work(worker);
                leave(*job);
                continue;
            }
        }
        spinning_.fetch_add(1, std::memory_order_seq_cst);
        spin_for(idle_spin_ns, [this] { return wanted() || !may_spin(); });
        spinning_.fetch_sub(1, std::memory_order_seq_cst);
        if (wanted())
            continue;
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1, std::memory_order_relaxed);
        wake_.wait(lock, [this] { return wanted() || stopping_; });
        sleeping_.fetch_sub(1, std::memory_order_relaxed);
        if (stopping_ && !wanted())
            return;
    }
}

} // namespace devq::cpu
