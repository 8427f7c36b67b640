#include "faults.hpp"
#include "support.hpp"
#include <chrono>
#include <thread>

using namespace devq;
using namespace devq::opencl_test;

static constexpr const char* slow_source = R"(
    kernel void slow(global uint* x, uint rounds) {
        uint s = x[0];
        for (uint i = 0; i < rounds; i++)
            s = s * 1664525u + x[1];
        x[0] = s == 1u ? 2u : 7u;
    })";

TEST_CASE("an event is reached when what was queued before it is done") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto slow = kernel(*device, slow_source, "slow");
    const auto memory = upload<unsigned>(*device, *queue, {1, 3});
    queue->wait();
    bool seen_under_way = false; // a busy machine may look too late
    for (int i = 0; i < 5 && !seen_under_way; ++i) {
        const auto before = queue->record();
        queue->launch(slow, range(1), Arguments().buffer(memory).value(30000000u));
        const auto after = queue->record();
        seen_under_way = !after->done();
        before->wait();
        after->wait();
        CHECK(before->done());
        CHECK(after->done());
        const std::uint64_t from = before->timestamp_ns(), to = after->timestamp_ns();
        CHECK(to > from);
        CHECK(to - from > 1000000); // 30 million dependent steps take longer than a millisecond anywhere
        queue->wait();
    }
    CHECK(seen_under_way);
}

TEST_CASE("done() becomes true without anyone waiting or flushing") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto memory = device->allocate(16);
    const int zero = 0;
    queue->fill(memory, 0, 16, &zero, 4);
    const auto event = queue->record();
    for (int i = 0; i < 5000 && !event->done(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(event->done());
}

TEST_CASE("a queue waits for another queue's event") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto slow = kernel(*device, slow_source, "slow");
    const auto first = device->create_queue(), second = device->create_queue();
    for (int round = 0; round < 5; ++round) {
        const auto memory = upload<unsigned>(*device, *first, {1, 3});
        first->launch(slow, range(1), Arguments().buffer(memory).value(5000000u));
        const auto event = first->record();
        second->wait_for(event); // without a flush of the first queue by the caller
        const auto copy = device->allocate(4);
        second->copy(copy, 0, memory, 0, 4);
        CHECK(download<unsigned>(*second, copy, 1) == std::vector<unsigned>{7});
        first->wait();
    }
}

TEST_CASE("whoever looks at an event or waits for it hands its queue's commands over first") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto first = device->create_queue(), second = device->create_queue();
    const auto polled = first->record(), blocked = first->record(), awaited = first->record();
    const int before = flushes();
    static_cast<void>(polled->done());
    CHECK(flushes() == before + 1);
    static_cast<void>(polled->done()); // once is enough
    CHECK(flushes() == before + 1);
    blocked->wait();
    CHECK(flushes() == before + 2);
    second->wait_for(awaited);
    CHECK(flushes() == before + 3);
    second->wait();
}

TEST_CASE("two queues in turn, hundreds of times without a wait") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto step =
        kernel(*device, "kernel void advance(global int* x, int by) { x[0] = x[0] * 3 % 1009 + by; }", "advance");
    const auto first = device->create_queue(), second = device->create_queue();
    const auto memory = upload<int>(*device, *first, {1});
    int expected = 1;
    for (int i = 0; i < 400; ++i) {
        backend::Queue &now = i % 2 ? *second : *first, &next = i % 2 ? *first : *second;
        if (i == 0)
            second->wait_for(first->record());
        now.launch(step, range(1), Arguments().buffer(memory).value(i));
        expected = expected * 3 % 1009 + i;
        next.wait_for(now.record());
    }
    CHECK(download<int>(*first, memory, 1) == std::vector<int>{expected});
    second->wait();
}

TEST_CASE("events outlive their queue and device") {
    const auto backend = make_backend();
    if (backend->enumerate().devices.empty())
        return;
    auto device = backend->open(0);
    auto queue = device->create_queue();
    const auto memory = device->allocate(16);
    const auto event = queue->record();
    queue.reset();
    device.reset();
    event->wait();
    CHECK(event->done());
}
