// How launches are shared out: who takes part, in which chunks, and that nobody sleeps for a lock meanwhile.
#include "program.hpp"
#include "support.hpp"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <mutex>
#include <random>
#include <set>
#include <sys/resource.h>
#include <thread>

using namespace devq;
using namespace devq::test;

namespace {

using Clock = std::chrono::steady_clock;

void busy_for(std::chrono::nanoseconds time) {
    for (const auto end = Clock::now() + time; Clock::now() < end;)
        cpu::relax();
}

struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
};

/// Some microseconds a group.
void busy_groups(const devq_host_dispatch* dispatch, devq_u64 first, devq_u64 last) {
    auto* seen = number<Seen*>(dispatch, 0);
    {
        const std::lock_guard lock(seen->mutex);
        seen->threads.insert(std::this_thread::get_id());
    }
    busy_for(std::chrono::microseconds(5) * (last - first));
}

void short_groups(const devq_host_dispatch*, devq_u64 first, devq_u64 last) {
    busy_for(std::chrono::microseconds(2) * (last - first));
}

struct Taken {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks; // first, last
    std::chrono::nanoseconds unit{0};                            // what one costs
};

void take(void* context, cpu::Worker&, std::uint64_t first, std::uint64_t last) noexcept {
    auto& taken = *static_cast<Taken*>(context);
    {
        const std::lock_guard lock(taken.mutex);
        taken.chunks.emplace_back(first, last);
    }
    busy_for(taken.unit * (last - first));
}

} // namespace

TEST_CASE("who waits takes part in a launch that a thread of the pool has begun") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto kernel = group_kernel(busy_groups);
    Seen seen;
    Seen* at = &seen;
    const auto begun = [](const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
        number<std::atomic<bool>*>(dispatch, 0)->store(true);
        busy_for(std::chrono::microseconds(2));
    };
    bool helped = false;
    // Not each time: the other thread of the pool may be quicker.
    for (const auto end = Clock::now() + std::chrono::seconds(20); !helped && Clock::now() < end;) {
        seen.threads.clear();
        std::atomic<bool> gate{false};
        std::atomic<bool>* gate_at = &gate;
        queue->launch(group_kernel(begun), range(1), {{value(gate_at)}});
        queue->launch(kernel, range(100), {{value(at)}});
        while (!gate)
            cpu::relax(); // now a thread of the pool has the queue
        queue->wait();
        helped = seen.threads.count(std::this_thread::get_id()) != 0;
    }
    CHECK(helped);
}

TEST_CASE("who waits for an earlier command is not kept by later ones") {
    const Bench bench(2);
    const auto queue = bench.queue();
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> gate{false};
        std::atomic<bool>* at = &gate;
        queue->launch(group_kernel(short_groups), range(200), {});
        const auto event = queue->record();
        queue->launch(group_kernel([](const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
                          while (!number<std::atomic<bool>*>(dispatch, 0)->load())
                              std::this_thread::yield();
                      }),
                      range(1), {{value(at)}});
        event->wait();
        gate = true;
        queue->wait();
    }
}

TEST_CASE("threads that share a launch do not sleep for each other") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto kernel = group_kernel(short_groups);
    queue->launch(kernel, range(40000), {}); // learns what a group costs
    queue->wait();
    const auto switches = [] {
        struct rusage usage {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_nvcsw;
    };
    constexpr int launches = 3;
    long fewest = 1'000'000;
    for (int round = 0; round < 5; ++round) {
        const long before = switches();
        for (int i = 0; i < launches; ++i)
            queue->launch(kernel, range(40000), {});
        queue->wait();
        fewest = std::min(fewest, switches() - before);
    }
    CAPTURE(fewest);
    if (!sanitized)
        CHECK(fewest < 5 * launches); // of some 4000 chunks each
}

TEST_CASE("kernels of one program share what launches have cost") {
    devq_host_kernel row{};
    row.name = "f";
    row.run_groups = short_groups;
    const devq_host_kernel_table table = {DEVQ_HOST_ABI_VERSION, 1, &row};
    cpu::Program program(table, nullptr);
    const Bench bench(2);
    const auto queue = bench.queue();
    queue->launch(program.kernel("f"), range(100), {});
    queue->wait();
    const auto again = std::static_pointer_cast<cpu::Kernel>(program.kernel("f"));
    CHECK(again->costs().group_ns(100) > 0);
    CHECK(again->costs().group_ns(101) == 0);
}

TEST_CASE("chunks cover a job once, grow to the time they should take, and are small at the end") {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 20; ++round) {
        Taken taken;
        cpu::Job job;
        job.body = take;
        job.context = &taken;
        job.total = std::uniform_int_distribution<std::uint64_t>(1, 20'000)(random);
        job.chunk = std::uniform_int_distribution<std::uint64_t>(1, 20)(random);
        job.chunk_ns = 20'000;
        job.threads = 2;
        cpu::ThreadPool pool(2);
        cpu::Worker worker;
        pool.share(job, worker, 1);
        std::sort(taken.chunks.begin(), taken.chunks.end());
        std::uint64_t next = 0;
        bool good = true;
        for (const auto& [first, last] : taken.chunks) {
            good = good && first == next && last > first;
            next = last;
        }
        CAPTURE(job.total);
        CHECK(good);
        CHECK(next == job.total);
    }

    Taken taken; // one thread: no timing but its own
    taken.unit = std::chrono::nanoseconds(100);
    cpu::Job job;
    job.body = take;
    job.context = &taken;
    job.total = 50'000;
    job.chunk = 1;
    job.chunk_ns = 20'000;
    job.threads = 2;
    cpu::Worker worker;
    job.work(worker);
    const auto size = [&](std::size_t i) { return taken.chunks[i].second - taken.chunks[i].first; };
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < taken.chunks.size(); ++i)
        largest = std::max(largest, size(i));
    CHECK(largest > 10);
    CHECK(taken.chunks.size() < 5'000);
    CHECK(size(taken.chunks.size() - 1) * 4 <= largest);
}
