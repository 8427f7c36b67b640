// Copies between two devices: every size around the pieces that they are cut into, order, and failures on either side.
#include "fake_backend.hpp"
#include <doctest/doctest.h>
#include <numeric>

using namespace devq;
using fake::code_of;
using fake::Opened;

namespace {

std::vector<std::byte> pattern(std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    std::uint32_t x = 12345;
    for (std::byte& b : made) {
        x = x * 1664525u + 1013904223u;
        b = static_cast<std::byte>(x >> 24);
    }
    return made;
}

constexpr std::size_t piece = std::size_t{8} << 20;

} // namespace

TEST_CASE("copies between devices of every size, with either side's queue, mapped or not") {
    for (const bool mapped_source : {false, true}) {
        for (const bool mapped_destination : {false, true}) {
            Opened a("fake:0", mapped_source), b("fake:1", mapped_destination);
            const Queue from = a.device.create_queue(), to = b.device.create_queue();
            const bool staged = !mapped_source && !mapped_destination;
            const std::vector<std::size_t> sizes =
                staged ? std::vector{std::size_t{0}, std::size_t{1}, std::size_t{1001}, piece - 1,
                                     piece,          piece + 1,      2 * piece + 4097}
                       : std::vector{std::size_t{1}, piece + 1};
            for (const std::size_t bytes : sizes) {
                const std::vector<std::byte> sent = pattern(bytes);
                for (const bool by_source : {false, true}) {
                    CAPTURE(mapped_source);
                    CAPTURE(mapped_destination);
                    CAPTURE(bytes);
                    CAPTURE(by_source);
                    const Buffer source = a.device.allocate(bytes + 3), destination = b.device.allocate(bytes + 9);
                    const std::byte zero{};
                    from.write(source, 3, sent.data(), bytes);
                    to.fill(destination, 0, bytes + 9, &zero, 1);
                    from.wait();
                    to.wait();
                    const Queue& queue = by_source ? from : to;
                    queue.copy(destination, 5, source, 3, bytes);
                    queue.wait();
                    std::vector<std::byte> all(bytes + 9);
                    to.read(std::span(all), destination);
                    CHECK(std::equal(sent.begin(), sent.end(), all.begin() + 5));
                    CHECK(std::all_of(all.begin(), all.begin() + 5, [](std::byte x) { return x == std::byte{0}; }));
                    CHECK(std::all_of(all.end() - 4, all.end(), [](std::byte x) { return x == std::byte{0}; }));
                }
            }
        }
    }
}

TEST_CASE("a copy between devices keeps its place among the queue's commands") {
    for (const bool mapped : {false, true}) {
        CAPTURE(mapped);
        Opened a("fake:0", mapped), b("fake:1");
        const Queue queue = a.device.create_queue();
        const Buffer here = a.buffer(std::vector<int>{0}), there = b.buffer(std::vector<int>{0}),
                     back = a.buffer(std::vector<int>{0});
        for (int i = 1; i <= 20; ++i) {
            queue.fill(here, 0, 4, &i, 4);
            queue.copy(there, 0, here, 0, 4);
            const int spoiled = -1;
            queue.fill(here, 0, 4, &spoiled, 4); // after the copy has read it
            queue.copy(back, 0, there, 0, 4);
            CHECK(fake::read_ints(queue, back)[0] == i);
        }
    }
}

TEST_CASE("a copy does not block the caller, and the event behind it is done when the bytes are there") {
    Opened a("fake:0"), b("fake:1"), c("fake:2");
    const Queue queue = a.device.create_queue(), other = c.device.create_queue();
    const Buffer here = a.buffer(std::vector<int>{7}), there = b.buffer(std::vector<int>{0}),
                 last = c.buffer(std::vector<int>{0});
    b.plan->gate.close(); // the destination's device is slow
    queue.copy(there, 0, here, 0, 4);
    const Event copied = queue.record();
    other.wait_for(copied);
    other.copy(last, 0, there, 0, 4);
    CHECK_FALSE(copied.done());
    b.plan->gate.open();
    CHECK(fake::read_ints(other, last)[0] == 7);
    CHECK(copied.done());
}

TEST_CASE("a failure on either side of a copy is the queue's, once, and the next copy works") {
    for (const bool at_source : {false, true}) {
        for (const bool by_source : {false, true}) {
            CAPTURE(at_source);
            CAPTURE(by_source);
            Opened a("fake:0"), b("fake:1");
            const Queue from = a.device.create_queue(), to = b.device.create_queue();
            const Queue& queue = by_source ? from : to;
            const Buffer source = a.buffer(std::vector<int>{1, 2}), destination = b.buffer(std::vector<int>{0, 0});
            (at_source ? a : b).plan->fail_next(ErrorCode::unsupported);
            queue.copy(destination, 0, source, 0, 8);
            const Event behind = queue.record();
            CHECK(code_of([&] { behind.wait(); }) == ErrorCode::unsupported);
            CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
            CHECK_NOTHROW(queue.wait());
            queue.copy(destination, 0, source, 0, 8);
            queue.wait();
            CHECK(fake::read_ints(to, destination) == std::vector<int>{1, 2});

            (at_source ? a : b).plan->refuse_next(ErrorCode::out_of_memory);
            queue.copy(destination, 0, source, 0, 8);
            CHECK(code_of([&] { queue.wait(); }) == ErrorCode::out_of_memory);
            queue.copy(destination, 0, source, 0, 8);
            CHECK_NOTHROW(queue.wait());
        }
    }
}

TEST_CASE("a copy behind a failure is dropped") {
    Opened a("fake:0"), b("fake:1");
    const Queue queue = a.device.create_queue(), to = b.device.create_queue();
    const Buffer source = a.buffer(std::vector<int>{1}), destination = b.buffer(std::vector<int>{5});
    a.plan->fail_next(ErrorCode::unsupported);
    queue.launch(a.task([] {}), 1);
    queue.copy(destination, 0, source, 0, 4);
    CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
    CHECK(fake::read_ints(to, destination)[0] == 5);
    CHECK_NOTHROW(queue.wait());
}

TEST_CASE("the loss of the other device fails the copy, and leaves the queue's own device") {
    Opened a("fake:0"), b("fake:1");
    const Queue queue = a.device.create_queue();
    const Buffer source = a.buffer(std::vector<int>{1}), destination = b.device.allocate(4);
    b.plan->fail_next(ErrorCode::device_lost);
    queue.copy(destination, 0, source, 0, 4);
    CHECK(code_of([&] { queue.wait(); }) == ErrorCode::device_lost);
    CHECK_NOTHROW(queue.wait());
    CHECK(fake::read_ints(queue, source)[0] == 1);
    CHECK(code_of([&] { queue.copy(destination, 0, source, 0, 4); }) == ErrorCode::device_lost);
    CHECK_NOTHROW(queue.wait());
}
