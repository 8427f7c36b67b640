#include "support.hpp"
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <thread>

using namespace devq;
using namespace devq::test;

namespace {

/// cell = cell * 3 + number: any other order gives another result.
void step(const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
    auto& cell = *pointer<std::uint64_t>(dispatch, 0);
    cell = cell * 3 + number<std::uint64_t>(dispatch, 1);
}

void spin_until(const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
    auto* gate = number<std::atomic<bool>*>(dispatch, 0);
    while (!gate->load())
        std::this_thread::yield();
}

std::uint64_t expected_steps(std::uint64_t count) {
    std::uint64_t cell = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        cell = cell * 3 + i;
    return cell;
}

} // namespace

TEST_CASE("commands run in the order of their submission, also beyond the ring's size") {
    const Bench bench;
    const auto queue = bench.queue();
    const auto kernel = group_kernel(step);
    const auto cell = bench.memory(8);
    for (std::uint64_t i = 0; i < 5000; ++i)
        queue->launch(kernel, range(1), {{buffer(cell), value(i)}});
    queue->wait();
    CHECK(*data<std::uint64_t>(cell) == expected_steps(5000));
}

TEST_CASE("submitting does not wait for what runs") {
    const Bench bench;
    const auto queue = bench.queue();
    std::atomic<bool> gate{false};
    std::atomic<bool>* at = &gate;
    const auto cell = bench.memory(8);
    queue->launch(group_kernel(spin_until), range(1), {{value(at)}});
    for (std::uint64_t i = 0; i < 100; ++i)
        queue->launch(group_kernel(step), range(1), {{buffer(cell), value(i)}});
    const auto event = queue->record();
    CHECK_FALSE(event->done());
    gate = true;
    queue->wait();
    CHECK(event->done());
    CHECK(*data<std::uint64_t>(cell) == expected_steps(100));
}

TEST_CASE("arguments and sources are copied at the call, whatever their size") {
    const Bench bench;
    const auto queue = bench.queue();
    std::atomic<bool> gate{false};
    std::atomic<bool>* at = &gate;
    for (std::size_t bytes : {std::size_t{1}, std::size_t{100}, cpu::Command::inline_bytes,
                              cpu::Command::inline_bytes + 1, std::size_t{70'000}}) {
        CAPTURE(bytes);
        gate = false;
        queue->launch(group_kernel(spin_until), range(1), {{value(at)}});
        const auto target = bench.memory(bytes + 3);
        std::vector<unsigned char> source(bytes);
        std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
        const auto wanted = source;
        queue->write(target, 3, source.data(), bytes);
        std::fill(source.begin(), source.end(), static_cast<unsigned char>(0xee));
        std::vector<unsigned char> back(bytes);
        queue->read(back.data(), target, 3, bytes);
        gate = true;
        queue->wait();
        CHECK(back == wanted);
        CHECK(data<unsigned char>(target)[2] == 0);
    }
}

TEST_CASE("large copies, writes and fills are whole") {
    const Bench bench;
    const auto queue = bench.queue();
    const std::size_t words = (5u << 20) / 4 + 3; // over the size from which threads share it, and not a round number
    std::vector<std::uint32_t> source(words), back(words);
    std::mt19937 random(7);
    for (auto& word : source)
        word = static_cast<std::uint32_t>(random());
    const auto first = bench.memory(words * 4), second = bench.memory(words * 4 + 16);
    queue->write(first, 0, source.data(), words * 4);
    const auto wanted = source;
    std::fill(source.begin(), source.end(), 0u); // the call has returned: it is ours again
    queue->copy(second, 8, first, 0, words * 4);
    queue->read(back.data(), second, 8, words * 4);
    queue->wait();
    CHECK(back == wanted);

    const std::uint32_t pattern[4] = {1, 2, 3, 4};
    for (std::size_t size : {1, 2, 4, 8, 16}) {
        CAPTURE(size);
        const std::size_t bytes = words * 4 / 16 * 16 - 16;
        std::memset(second->host_address(), 0x55, words * 4 + 16);
        queue->fill(second, 16, bytes, pattern, size);
        queue->wait();
        const auto* filled = data<unsigned char>(second);
        bool good = true;
        for (std::size_t i = 0; i < bytes; ++i)
            good = good && filled[16 + i] == reinterpret_cast<const unsigned char*>(pattern)[i % size];
        CHECK(good);
        CHECK(filled[15] == 0x55);
        CHECK(filled[16 + bytes] == 0x55);
    }
}

TEST_CASE("a queue keeps kernels and memory alive, and lets them go when it has passed them") {
    const Bench bench;
    const auto queue = bench.queue();
    auto kernel = group_kernel(step);
    auto cell = bench.memory(8);
    const std::weak_ptr<backend::Kernel> kernel_left = kernel;
    const std::weak_ptr<backend::Memory> cell_left = cell;
    std::uint64_t back = 0;
    const std::uint64_t five = 5;
    queue->launch(kernel, range(1), {{buffer(cell), value(five)}});
    queue->read(&back, cell, 0, 8);
    kernel.reset();
    cell.reset();
    queue->wait();
    CHECK(back == 5);
    CHECK(kernel_left.expired());
    CHECK(cell_left.expired());
    CHECK(bench.account->used == 0);
}

TEST_CASE("a queue that goes waits for its commands") {
    const Bench bench;
    const auto cell = bench.memory(8);
    for (int round = 0; round < 50; ++round) {
        *data<std::uint64_t>(cell) = 0;
        {
            const auto queue = bench.queue();
            for (std::uint64_t i = 0; i < 40; ++i)
                queue->launch(group_kernel(step), range(1), {{buffer(cell), value(i)}});
        }
        REQUIRE(*data<std::uint64_t>(cell) == expected_steps(40));
    }
}

TEST_CASE("many queues, one a thread, on fewer threads of the pool") {
    for (unsigned threads : {1u, 2u, 4u}) {
        CAPTURE(threads);
        const Bench bench(threads);
        const auto kernel = group_kernel(step);
        std::atomic<int> good{0};
        std::vector<std::thread> callers;
        for (int t = 0; t < 8; ++t)
            callers.emplace_back([&] {
                const auto queue = bench.queue();
                const auto cell = bench.memory(8);
                for (int round = 0; round < 20; ++round) {
                    *data<std::uint64_t>(cell) = 0;
                    for (std::uint64_t i = 0; i < 100; ++i)
                        queue->launch(kernel, range(1), {{buffer(cell), value(i)}});
                    queue->wait();
                    good += *data<std::uint64_t>(cell) == expected_steps(100);
                }
            });
        for (auto& caller : callers)
            caller.join();
        CHECK(good == 8 * 20);
    }
}

TEST_CASE("several threads wait for one queue") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto cell = bench.memory(8);
    for (int round = 0; round < 30; ++round) {
        *data<std::uint64_t>(cell) = 0;
        for (std::uint64_t i = 0; i < 200; ++i)
            queue->launch(group_kernel(step), range(1), {{buffer(cell), value(i)}});
        std::atomic<int> good{0};
        std::vector<std::thread> callers;
        for (int t = 0; t < 3; ++t)
            callers.emplace_back([&] {
                queue->wait();
                good += *data<std::uint64_t>(cell) == expected_steps(200);
            });
        for (auto& caller : callers)
            caller.join();
        REQUIRE(good == 3);
    }
}

TEST_CASE("a queue without end does not keep others waiting") {
    const Bench bench(1);
    const auto busy = bench.queue(), other = bench.queue();
    std::atomic<bool> stop{false};
    const auto endless = group_kernel([](const devq_host_dispatch*, devq_u64, devq_u64) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    std::thread feeder([&] {
        while (!stop)
            busy->launch(endless, range(1), {});
    });
    const auto cell = bench.memory(8);
    const std::uint64_t one = 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    other->launch(group_kernel(step), range(1), {{buffer(cell), value(one)}});
    const auto event = other->record();
    event->wait(); // an event's wait does not run commands itself
    CHECK(*data<std::uint64_t>(cell) == 1);
    stop = true;
    feeder.join();
}

TEST_CASE("the launch of an empty kernel costs little") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto kernel = group_kernel([](const devq_host_dispatch*, devq_u64, devq_u64) {});
    const auto cell = bench.memory(8);
    double best = 1e9;
    for (int round = 0; round < 20; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i)
            queue->launch(kernel, range(1), {{buffer(cell)}});
        queue->wait();
        best =
            std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    MESSAGE("launch: " << best / 1000 << " us");
    CHECK(best / 1000 < 20); // a loaded machine and sanitizers; the benchmark judges
}
