#include "support.hpp"
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <mutex>
#include <pthread.h>
#include <set>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace devq;
using namespace devq::test;

namespace {

void count_groups(const devq_host_dispatch* dispatch, devq_u64 first, devq_u64 last) {
    auto* counts = pointer<std::uint8_t>(dispatch, 0);
    for (devq_u64 group = first; group < last; ++group)
        ++counts[group]; // no atomic: each group runs once, on one thread
}

struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
};

void slow_groups(const devq_host_dispatch* dispatch, devq_u64 first, devq_u64 last) {
    auto* seen = number<Seen*>(dispatch, 0);
    {
        const std::lock_guard lock(seen->mutex);
        seen->threads.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200) * (last - first));
}

} // namespace

TEST_CASE("each group runs exactly once, for any count and any number of threads") {
    for (unsigned threads : {1u, 2u, 5u}) {
        const Bench bench(threads);
        const auto queue = bench.queue();
        const auto kernel = group_kernel(count_groups);
        for (std::size_t groups : {1, 2, 3, 7, 64, 1000, 100'003}) {
            CAPTURE(threads);
            CAPTURE(groups);
            const auto counts = bench.memory(groups);
            for (int round = 0; round < 3; ++round)
                queue->launch(kernel, range(groups), {{buffer(counts)}});
            queue->wait();
            bool good = true;
            for (std::size_t i = 0; i < groups; ++i)
                good = good && data<std::uint8_t>(counts)[i] == 3;
            CHECK(good);
        }
    }
}

TEST_CASE("a long launch is shared, also the first one; a tiny one is not") {
    const Bench bench(4);
    const auto queue = bench.queue();
    Seen seen;
    Seen* at = &seen;
    queue->launch(group_kernel(slow_groups), range(100), {{value(at)}});
    queue->wait();
    CHECK(seen.threads.size() >= 2);

    std::atomic<int> calls{0};
    std::atomic<int>* counter = &calls;
    const auto tiny = group_kernel(
        [](const devq_host_dispatch* dispatch, devq_u64, devq_u64) { ++*number<std::atomic<int>*>(dispatch, 0); });
    int fewest = 100;
    for (int round = 0; round < 50; ++round) { // on a busy machine a launch may look long
        calls = 0;
        queue->launch(tiny, range(4), {{value(counter)}});
        queue->wait();
        fewest = std::min(fewest, calls.load());
    }
    // 1 + 2 + 1 groups: measured on the way, by one thread; under a sanitizer even these look long.
    CHECK(fewest <= (sanitized ? 4 : 3));
}

TEST_CASE("several queues share the pool's threads at once") {
    const Bench bench(3);
    std::vector<std::thread> callers;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            const auto queue = bench.queue();
            const auto kernel = group_kernel(count_groups);
            const std::size_t groups = 50'000;
            const auto counts = bench.memory(groups);
            for (int round = 0; round < 20; ++round)
                queue->launch(kernel, range(groups), {{buffer(counts)}});
            queue->wait();
            bool all = true;
            for (std::size_t i = 0; i < groups; ++i)
                all = all && data<std::uint8_t>(counts)[i] == 20;
            good += all;
        });
    for (auto& caller : callers)
        caller.join();
    CHECK(good == 4);
}

TEST_CASE("three dimensions, group and global sizes as the kernel sees them") {
    const Bench bench;
    const auto queue = bench.queue();
    struct Shape {
        devq_u64 global[3], local[3], groups[3];
        unsigned dimensions;
    };
    const auto out = bench.memory(sizeof(Shape));
    const auto kernel = group_kernel([](const devq_host_dispatch* dispatch, devq_u64 first, devq_u64 last) {
        Shape shape{};
        std::memcpy(shape.global, dispatch->global_size, sizeof shape.global);
        std::memcpy(shape.local, dispatch->local_size, sizeof shape.local);
        std::memcpy(shape.groups, dispatch->group_count, sizeof shape.groups);
        shape.dimensions = dispatch->dimensions;
        if (first <= 23 && 23 < last)
            *pointer<Shape>(dispatch, 0) = shape;
    });
    backend::LaunchRange over;
    over.global = {8, 6, 20};
    over.local = {4, 2, 5};
    over.dimensions = 3;
    queue->launch(kernel, over, {{buffer(out)}});
    queue->wait();
    const auto& shape = *data<Shape>(out);
    CHECK(shape.global[2] == 20);
    CHECK(shape.local[1] == 2);
    CHECK(shape.groups[0] == 2);
    CHECK(shape.groups[1] == 3);
    CHECK(shape.groups[2] == 4);
    CHECK(shape.dimensions == 3);
}

TEST_CASE("values are as aligned as vectors of their size, in small and in large blocks") {
    struct alignas(64) Vector {
        float lanes[16];
    };
    static std::atomic<int> misaligned{0};
    const Bench bench;
    const auto queue = bench.queue();
    const auto kernel = group_kernel([](const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
        for (unsigned i : {1u, 3u})
            misaligned += reinterpret_cast<std::uintptr_t>(dispatch->arguments[i]) % 64 != 0;
        misaligned += number<float>(dispatch, 1) != 1.0f || number<float>(dispatch, 3) != 1.0f;
        misaligned += number<char>(dispatch, 0) != 'a' || number<short>(dispatch, 2) != 77;
    });
    const Vector vector{{1, 2, 3}};
    const char letter = 'a';
    const short small = 77;
    std::vector<backend::Argument> arguments{value(letter), value(vector), value(small), value(vector)};
    queue->launch(kernel, range(1), arguments);
    for (int i = 0; i < 30; ++i)
        arguments.push_back(value(vector));
    queue->launch(kernel, range(1), arguments);
    queue->wait();
    CHECK(misaligned == 0);
}

#if defined(__x86_64__)
TEST_CASE("kernels keep denormals, also where the caller's threads do not") {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
    {
        const Bench bench(2); // its threads inherit the setting
        const auto queue = bench.queue();
        const auto out = bench.memory(4);
        const auto halve = group_kernel([](const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
            volatile float smallest = std::numeric_limits<float>::min();
            *pointer<float>(dispatch, 0) = smallest / 2;
        });
        for (int round = 0; round < 200; ++round) { // by threads of the pool, and by this one in wait()
            *data<std::uint32_t>(out) = 0;
            queue->launch(halve, range(1), {{buffer(out)}});
            queue->wait();
            REQUIRE(*data<std::uint32_t>(out) == 0x00400000u);
        }
    }
    CHECK((_mm_getcsr() & 0x8040) == 0x8040); // the caller's own setting is left alone
    _mm_setcsr(before);
}
#endif

TEST_CASE("local memory is aligned, of the size asked for, and apart for each argument") {
    const Bench bench(3);
    const auto queue = bench.queue();
    const auto sums = bench.memory(8 * 5000);
    const auto kernel = item_kernel(
        [](const devq_host_dispatch* dispatch, devq_u64 group, const devq_u64*) {
            auto* a = pointer<std::uint32_t>(dispatch, 1);
            auto* b = pointer<std::uint32_t>(dispatch, 3);
            auto* own = static_cast<std::uint32_t*>(dispatch->local_memory);
            const auto count = number<std::uint32_t>(dispatch, 2);
            std::uint64_t sum = 0;
            for (std::uint32_t i = 0; i < count; ++i) {
                a[i] = i;
                own[i % 25] = i;
            }
            for (std::uint32_t i = 0; i < 33; ++i)
                b[i] = 1000;
            for (std::uint32_t i = 0; i < count; ++i)
                sum += a[i];
            for (std::uint32_t i = 0; i < 33; ++i)
                sum += b[i];
            for (const void* part : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(own)})
                sum += reinterpret_cast<std::uintptr_t>(part) % 128;
            pointer<std::uint64_t>(dispatch, 0)[group] = sum + own[3];
        },
        false, 100);
    const std::uint32_t count = 300;
    queue->launch(kernel, range(5000), {{buffer(sums), local(count * 4), value(count), local(33 * 4)}});
    queue->wait();
    bool good = true;
    for (int i = 0; i < 5000; ++i)
        good = good && data<std::uint64_t>(sums)[i] == 300 * 299 / 2 + 33'000 + 278;
    CHECK(good);
}

TEST_CASE("child: a kernel with private variables of a megabyte" * doctest::skip()) {
    const Bench bench;
    const auto queue = bench.queue();
    const auto out = bench.memory(4);
    const auto kernel = group_kernel([](const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
        volatile char large[1 << 20];
        for (std::size_t i = 0; i < sizeof large; i += 512)
            large[i] = 1;
        *pointer<int>(dispatch, 0) = large[512];
    });
    queue->launch(kernel, range(1), {{buffer(out)}});
    queue->wait();
    CHECK(*data<int>(out) == 1);
}

TEST_CASE("a thread with a small stack leaves kernels to the pool") {
    const auto has_room = [](std::size_t stack) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack);
        pthread_t thread{};
        bool room = false;
        REQUIRE(pthread_create(
                    &thread, &attributes,
                    [](void* answer) -> void* {
                        *static_cast<bool*>(answer) = cpu::has_stack_for_kernels();
                        return nullptr;
                    },
                    &room) == 0);
        pthread_join(thread, nullptr);
        pthread_attr_destroy(&attributes);
        return room;
    };
    CHECK(has_room(std::size_t{8} << 20));
    CHECK_FALSE(has_room(std::size_t{1} << 20));
}

TEST_CASE("the stacks of threads do not depend on the shell's limit") {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command =
        "ulimit -s 256 && exec '" + self + "' --no-skip '-tc=child: a kernel with private*' >/dev/null 2>&1";
    CHECK(std::system(command.c_str()) == 0);
}
