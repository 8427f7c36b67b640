#include "support.hpp"

using namespace devq;
using namespace devq::cuda_test;

TEST_CASE("CUDA: an event is reached with what stands before it") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64);
    const unsigned char one = 1;
    queue.fill(buffer, 0, 64, &one, 1);
    const Event event = queue.record();
    CHECK_FALSE(event.done()); // the stand-in does nothing before it is asked
    event.wait();
    CHECK(event.done());
    event.wait();
}

TEST_CASE("CUDA: polling reaches an event") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64);
    const unsigned char one = 1;
    for (int i = 0; i < 10; ++i)
        queue.fill(buffer, 0, 64, &one, 1);
    const Event event = queue.record();
    int polls = 0;
    while (!event.done() && polls < 1000)
        ++polls;
    CHECK(polls > 0);
    CHECK(polls < 1000);
}

TEST_CASE("CUDA: two queues in turn") {
    const Device device = open_device("cuda:0");
    const Queue left = device.create_queue(), right = device.create_queue();
    const Buffer a = device.allocate(1000), b = device.allocate(1000);
    for (unsigned round = 0; round < 20; ++round) {
        const std::vector<unsigned char> bytes = bytes_of(1000, round);
        left.write(a, 0, bytes.data(), bytes.size());
        right.wait_for(left.record());
        right.copy(b, 0, a, 0, 1000);
        left.wait_for(right.record()); // before `a` is written again
        CHECK(contents(right, b) == bytes);
    }
    left.wait();
}

TEST_CASE("CUDA: time passes between two events") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(8 << 20);
    const unsigned pattern = 5;
    const Event start = queue.record();
    queue.fill(buffer, 0, buffer.size(), &pattern, 4);
    const Event middle = queue.record();
    queue.fill(buffer, 0, buffer.size(), &pattern, 4);
    const Event end = queue.record();
    queue.wait();
    CHECK(elapsed_ms(start, middle) > 0);
    CHECK(elapsed_ms(start, end) > elapsed_ms(start, middle));
    CHECK(elapsed_ms(end, start) < 0);
    CHECK(elapsed_ms(start, end) < 10000);
}

TEST_CASE("CUDA: a queue that goes with work behind it finishes the work") {
    const Device device = open_device("cuda:0");
    const Buffer buffer = device.allocate(100);
    const std::vector<unsigned char> bytes = bytes_of(100, 17);
    device.create_queue().write(buffer, 0, bytes.data(), 100);
    CHECK(contents(device.create_queue(), buffer) == bytes);
}
