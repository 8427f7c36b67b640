#include "kernel.hpp"
#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>

namespace devq::cpu {

namespace {

// Waking a thread that spins costs about a microsecond, one that sleeps up to fifty: share only what is longer.
constexpr float worth_sharing_ns = 12'000;
constexpr std::uint64_t settled_ns = 3'000; // less says more about cold caches than about the kernel
constexpr float ns_per_helper = 6'000;
constexpr float chunk_ns = 20'000; // short enough to balance, long enough that the shared counter does not matter

/// Runs groups of one launch; one a launch, used by all its threads.
class GroupRunner {
public:
    explicit GroupRunner(const Launch& launch) : launch_(launch), kernel_(launch.kernel->host()) {
        dispatch_.dimensions = launch.range.dimensions;
        for (int d = 0; d < 3; ++d) {
            dispatch_.global_size[d] = launch.range.global[d];
            dispatch_.local_size[d] = launch.range.local[d];
            dispatch_.group_count[d] = launch.range.global[d] / launch.range.local[d];
            dispatch_.global_offset[d] = 0;
        }
        dispatch_.arguments = launch.arguments;
        dispatch_.local_memory = nullptr;
        dispatch_.barrier = [](void*) {}; // a group of one item waits for nobody
        dispatch_.barrier_context = nullptr;
        items_ = dispatch_.local_size[0] * dispatch_.local_size[1] * dispatch_.local_size[2];
        dispatch_.split_memory = nullptr;
        dispatch_.diverged = nullptr;
        dispatch_.print = [](void* printed, const char* text, devq_u64 bytes) {
            try {
                static_cast<std::string*>(printed)->append(text, static_cast<std::size_t>(bytes));
            } catch (const std::bad_alloc&) { // what does not fit is not printed: a kernel cannot be unwound
            }
        };
        dispatch_.print_context = nullptr;
        whole_ = kernel_.run_groups != nullptr && !launch.kernel->is_on_fibers() &&
                 (kernel_.split ? has_small_ids(dispatch_) : items_ == 1 || !kernel_.uses_barrier);
        scratch_bytes_ = launch.total_local_bytes + padded_local(static_cast<std::size_t>(kernel_.local_bytes));
        if (whole_ && kernel_.split)
            scratch_bytes_ +=
                padded_local(static_cast<std::size_t>(items_ * kernel_.split_item_bytes + kernel_.split_group_bytes));
        // Where each thread has its own addresses of local memory, it also has its own list of arguments.
        if (launch.total_local_bytes != 0)
            list_bytes_ = padded_local(launch.parameter_count * sizeof(void*));
    }

    std::uint64_t groups() const noexcept {
        return dispatch_.group_count[0] * dispatch_.group_count[1] * dispatch_.group_count[2];
    }

    void run(Worker& worker, std::uint64_t first, std::uint64_t last) const {
        devq_host_dispatch dispatch = dispatch_;
        if (scratch_bytes_ != 0)
            bind_local(dispatch, static_cast<char*>(worker.scratch(list_bytes_ + scratch_bytes_)));
        devq_u64 diverged = 0;
        dispatch.diverged = &diverged;
        std::string printed;
        dispatch.print_context = &printed;
        try {
            if (whole_)
                kernel_.run_groups(&dispatch, first, last);
            else if (kernel_.uses_barrier && items_ > 1)
                for (std::uint64_t group = first; group < last; ++group)
                    run_group_on_fibers(worker.stacks, kernel_, dispatch, group);
            else
                for (std::uint64_t group = first; group < last; ++group)
                    run_items(dispatch, group);
        } catch (...) { // what was printed before a failure helps to find it
            keep_printed(first, std::move(printed));
            throw;
        }
        keep_printed(first, std::move(printed));
        if (diverged != 0)
            throw_diverged(kernel_, diverged - 1);
    }

    /// For threads that join: keeps the first failure and stops the others.
    void run_shared(Job& job, Worker& worker, std::uint64_t first, std::uint64_t last) noexcept {
        try {
            run(worker, first, last);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_)
                failure_ = std::current_exception();
            job.cancel();
        }
    }

    /// What was printed, in the order of groups.
    void write_printed() const {
        for (const auto& [first, text] : printed_)
            std::fwrite(text.data(), 1, text.size(), stdout);
        if (!printed_.empty())
            std::fflush(stdout);
    }

    void rethrow() const {
        if (failure_)
            std::rethrow_exception(failure_);
    }

    /// Throws when the kernel was not made for groups like these.
    void check() const {
        if (!whole_ && kernel_.run_item == nullptr)
            throw Error(ErrorCode::unsupported, "launch",
                        std::string("kernel \"") + kernel_.name + "\" runs here in groups of one work-item only",
                        "Launch it with a local size of 1.");
    }

private:
    void keep_printed(std::uint64_t first, std::string text) const {
        if (text.empty())
            return; // threads that end a chunk at once would sleep for each other at the lock
        const std::lock_guard lock(mutex_);
        printed_[first] = std::move(text);
    }

    void bind_local(devq_host_dispatch& dispatch, char* scratch) const {
        if (list_bytes_ != 0) {
            void** list = reinterpret_cast<void**>(scratch);
            scratch += list_bytes_;
            for (std::size_t i = 0; i < launch_.parameter_count; ++i) {
                list[i] = launch_.arguments[i];
                if (launch_.local_bytes[i] != 0) {
                    list[i] = scratch;
                    scratch += padded_local(launch_.local_bytes[i]);
                }
            }
            dispatch.arguments = list;
        }
        dispatch.local_memory = scratch;
        dispatch.split_memory = scratch + padded_local(static_cast<std::size_t>(kernel_.local_bytes));
    }

    static bool has_small_ids(const devq_host_dispatch& dispatch) {
        bool small = true;
        for (int d = 0; d < 3; ++d)
            small &= dispatch.global_size[d] + dispatch.global_offset[d] < 0x7fffffff;
        return small;
    }

    void run_items(const devq_host_dispatch& dispatch, std::uint64_t group) const {
        devq_u64 id[3];
        for (id[2] = 0; id[2] < dispatch.local_size[2]; ++id[2])
            for (id[1] = 0; id[1] < dispatch.local_size[1]; ++id[1])
                for (id[0] = 0; id[0] < dispatch.local_size[0]; ++id[0])
                    kernel_.run_item(&dispatch, group, id);
    }

    const Launch& launch_;
    const devq_host_kernel& kernel_;
    devq_host_dispatch dispatch_{};
    std::uint64_t items_ = 1;
    bool whole_ = false; ///< by run_groups
    std::size_t scratch_bytes_ = 0, list_bytes_ = 0;
    mutable std::mutex mutex_;
    mutable std::map<std::uint64_t, std::string> printed_; ///< by the first group of those that printed it
    std::exception_ptr failure_;
};

struct SharedGroups : Job {
    explicit SharedGroups(GroupRunner& groups) : runner(groups) {
        context = this;
        body = [](void* self, Worker& worker, std::uint64_t first, std::uint64_t last) noexcept {
            auto& shared = *static_cast<SharedGroups*>(self);
            shared.runner.run_shared(shared, worker, first, last);
        };
    }
    GroupRunner& runner;
};

/// Upper half: which count of groups; the uppermost 4 bits choose the place. Small counts take places of their own.
std::uint32_t cost_key(std::uint64_t groups) {
    const auto mixed = static_cast<std::uint32_t>((groups * 0x9e3779b97f4a7c15u) >> 36);
    return static_cast<std::uint32_t>(groups < 15 ? groups : 15) << 28 | mixed;
}

} // namespace

float LaunchCosts::group_ns(std::uint64_t groups) const noexcept {
    const std::uint32_t key = cost_key(groups);
    const std::uint64_t cost = costs_[key >> 28].load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(cost >> 32) == key ? std::bit_cast<float>(static_cast<std::uint32_t>(cost)) : 0;
}

void LaunchCosts::learn_group_ns(std::uint64_t groups, float nanoseconds) noexcept {
    const std::uint32_t key = cost_key(groups);
    costs_[key >> 28].store(std::uint64_t{key} << 32 | std::bit_cast<std::uint32_t>(nanoseconds),
                            std::memory_order_relaxed);
}

void run_launch(const Launch& launch, ThreadPool& pool, Worker& worker) {
    GroupRunner runner(launch);
    runner.check();
    const std::uint64_t total = runner.groups();
    std::uint64_t done = 0;
    float group_ns = launch.kernel->costs().group_ns(total);
    if (total <= 1 || pool.size() <= 1 || group_ns == 0 || group_ns * static_cast<float>(total) < worth_sharing_ns) {
        // Alone, and measuring: what turns out to be long is shared after all.
        std::uint64_t step = total <= 1 || pool.size() <= 1 ? total : 1;
        const std::uint64_t start = now_ns();
        while (done < total) {
            const std::uint64_t last = std::min(total, done + step);
            try {
                runner.run(worker, done, last);
            } catch (...) {
                runner.write_printed();
                throw;
            }
            done = last;
            const std::uint64_t elapsed = now_ns() - start;
            group_ns = std::max(1.0f, static_cast<float>(elapsed)) / static_cast<float>(done);
            if (elapsed > settled_ns && group_ns * static_cast<float>(total - done) > worth_sharing_ns)
                break;
            step *= 2;
        }
        launch.kernel->costs().learn_group_ns(total, group_ns);
        if (done == total) {
            runner.write_printed();
            return;
        }
    }
    const float rest_ns = group_ns * static_cast<float>(total - done);
    const auto helpers = static_cast<unsigned>(
        std::min({static_cast<float>(pool.size() - 1), rest_ns / ns_per_helper, static_cast<float>(total - done - 1)}));
    SharedGroups job(runner);
    job.total = total;
    job.next.store(done, std::memory_order_relaxed);
    const std::uint64_t by_time = static_cast<std::uint64_t>(std::min(chunk_ns / group_ns, 1e9f)) + 1;
    job.chunk = std::max<std::uint64_t>(1, std::min<std::uint64_t>(by_time, (total - done) / (helpers + 1) / 4));
    job.chunk_ns = static_cast<std::uint64_t>(chunk_ns);
    job.threads = helpers + 1;
    const std::uint64_t start = now_ns();
    pool.share(job, worker, helpers);
    const float measured =
        static_cast<float>(now_ns() - start) * static_cast<float>(helpers + 1) / static_cast<float>(total - done);
    launch.kernel->costs().learn_group_ns(total, std::max(1.0f, measured));
    runner.write_printed();
    runner.rethrow();
}

} // namespace devq::cpu
