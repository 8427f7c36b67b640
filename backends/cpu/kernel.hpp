#pragma once
/// A kernel that is host code, and how a launch of it is spread over threads.

#include "backend.hpp"
#include "frontend/host_abi.h"
#include "thread_pool.hpp"
#include <array>
#include <atomic>
#include <memory>

namespace devq::cpu {

/// What a group of a kernel cost in the last launch of as many groups. A hint for the number of threads, no more:
/// launches of one kernel differ, and their count of groups tells most of them apart.
class LaunchCosts {
public:
    /// In nanoseconds; 0 when there was none.
    float group_ns(std::uint64_t groups) const noexcept;
    void learn_group_ns(std::uint64_t groups, float nanoseconds) noexcept;

private:
    std::array<std::atomic<std::uint64_t>, 16> costs_{}; // by count of groups: which count, and its nanoseconds
};

class Kernel final : public backend::Kernel {
public:
    /// `owner` keeps the code loaded.
    /// @param costs of the same kernel, where there is one already: programs ask for a kernel before each launch
    /// @param on_fibers also where the kernel is split at its barriers
    Kernel(const devq_host_kernel& kernel, std::shared_ptr<const void> owner,
           std::shared_ptr<LaunchCosts> costs = std::make_shared<LaunchCosts>(), bool on_fibers = false)
        : host_(kernel), owner_(std::move(owner)), costs_(std::move(costs)),
          on_fibers_(on_fibers && kernel.uses_barrier && kernel.run_item) {}
    std::size_t local_bytes() const override { return static_cast<std::size_t>(host_.local_bytes); }
    const devq_host_kernel& host() const noexcept { return host_; }
    bool is_on_fibers() const noexcept { return on_fibers_; }

    LaunchCosts& costs() const noexcept { return *costs_; }

private:
    const devq_host_kernel& host_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<LaunchCosts> costs_;
    bool on_fibers_;
};

/// One launch with its arguments bound: local ones are null in `arguments` and get `local_bytes` of a thread's scratch.
struct Launch {
    Kernel* kernel = nullptr;
    backend::LaunchRange range;
    void* const* arguments = nullptr;
    const std::size_t* local_bytes = nullptr; ///< one a parameter: 0 for what is not local memory
    std::size_t parameter_count = 0;
    std::size_t total_local_bytes = 0; ///< of the arguments
};

/// Runs it to its end on this thread, and on others of the pool where that pays. Throws what a thread threw first.
void run_launch(const Launch& launch, ThreadPool& pool, Worker& worker);

/// Scratch of one local argument in the scratch of a thread.
constexpr std::size_t padded_local(std::size_t bytes) noexcept { return (bytes + 127) / 128 * 128; }

/// Spreads body(first, last) over 0..total by the same rules, for work whose cost is known beforehand.
template <class Body>
void run_parallel(std::uint64_t total, std::uint64_t chunk, ThreadPool& pool, Worker& worker, Body& body) noexcept {
    Job job;
    job.context = &body;
    job.body = [](void* context, Worker&, std::uint64_t first, std::uint64_t last) noexcept {
        (*static_cast<Body*>(context))(first, last);
    };
    job.total = total;
    job.chunk = chunk;
    const std::uint64_t chunks = (total + chunk - 1) / chunk;
    const std::uint64_t helpers = pool.size() > 0 ? pool.size() - 1 : 0;
    pool.share(job, worker, static_cast<unsigned>(chunks > helpers ? helpers : chunks - (chunks != 0)));
}

} // namespace devq::cpu
