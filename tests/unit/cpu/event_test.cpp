#include "support.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <thread>

using namespace devq;
using namespace devq::test;

namespace {

void spin_until(const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
    auto* gate = number<std::atomic<bool>*>(dispatch, 0);
    while (!gate->load())
        std::this_thread::yield();
}

void copy_word(const devq_host_dispatch* dispatch, devq_u64, devq_u64) {
    *pointer<std::uint64_t>(dispatch, 0) = *pointer<std::uint64_t>(dispatch, 1) + 1;
}

} // namespace

TEST_CASE("an event is done when the queue has come so far, not before") {
    const Bench bench;
    const auto queue = bench.queue();
    std::atomic<bool> gate{false};
    std::atomic<bool>* at = &gate;
    const auto before = queue->record();
    queue->launch(group_kernel(spin_until), range(1), {{value(at)}});
    const auto after = queue->record();
    before->wait();
    CHECK(before->done());
    CHECK_FALSE(after->done());
    gate = true;
    after->wait();
    CHECK(after->done());
    CHECK(after->timestamp_ns() >= before->timestamp_ns());
    queue->wait();
}

TEST_CASE("a queue stands still at another queue's event, and no thread of the pool with it") {
    const Bench bench(1); // one thread: it must leave the queue that waits and run the other
    const auto first = bench.queue(), second = bench.queue();
    const auto cell = bench.memory(16);
    std::atomic<bool> gate{false};
    std::atomic<bool>* at = &gate;
    first->launch(group_kernel(spin_until), range(1), {{value(at)}});
    const std::uint64_t fortytwo = 42;
    first->write(cell, 0, &fortytwo, 8);
    const auto event = first->record();
    second->wait_for(event);
    std::uint64_t back = 0;
    second->read(&back, cell, 0, 8);
    const auto end = second->record();
    CHECK_FALSE(end->done());
    gate = true;
    end->wait();
    CHECK(back == 42);
}

TEST_CASE("queues hand a value round in a ring, by events alone") {
    for (unsigned threads : {1u, 3u}) {
        const Bench bench(threads);
        std::vector<std::unique_ptr<backend::Queue>> queues;
        std::vector<std::shared_ptr<backend::Memory>> cells;
        for (int i = 0; i < 5; ++i) {
            queues.push_back(bench.queue());
            cells.push_back(bench.memory(8));
        }
        const auto kernel = group_kernel(copy_word);
        std::shared_ptr<backend::Event> last;
        const int rounds = 400; // more commands than a ring holds
        for (int i = 0; i < rounds * 5; ++i) {
            auto& queue = queues[static_cast<std::size_t>(i % 5)];
            if (last)
                queue->wait_for(last);
            queue->launch(kernel, range(1),
                          {{buffer(cells[static_cast<std::size_t>(i % 5)]),
                            buffer(cells[static_cast<std::size_t>((i + 4) % 5)])}});
            last = queue->record();
        }
        last->wait();
        CHECK(*data<std::uint64_t>(cells[4]) == rounds * 5);
        for (auto& queue : queues)
            queue->wait();
    }
}

TEST_CASE("an event outlives its queue") {
    const Bench bench;
    auto queue = bench.queue();
    const auto event = queue->record();
    queue.reset();
    CHECK(event->done());
    event->wait();
    const auto other = bench.queue();
    other->wait_for(event);
    other->wait();
}

TEST_CASE("threads wait for an event while its queue and the pool go") {
    for (int round = 0; round < 100; ++round) {
        auto bench = std::make_unique<Bench>(1);
        auto queue = bench->queue();
        for (int i = 0; i < 20; ++i)
            queue->launch(group_kernel([](const devq_host_dispatch*, devq_u64, devq_u64) {}), range(1), {});
        const auto event = queue->record();
        std::thread waiter([event] { event->wait(); });
        queue.reset();
        bench.reset();
        waiter.join();
        CHECK(event->done());
    }
}
