// Sequences that a queue keeps and runs again, as a list and as one object of the backend's.
#include "fake_backend.hpp"
#include <devq/memory.hpp>
#include <devq/recording.hpp>
#include <doctest/doctest.h>
#include <future>

using namespace devq;
using fake::Opened;

namespace {

/// As a list, and as the backend's sequence.
template <class Body>
void both_ways(Body&& body) {
    for (const bool captures : {false, true}) {
        CAPTURE(captures);
        Opened fake;
        fake.plan->captures = captures;
        body(fake, captures);
    }
}

devq::Kernel adder(const Opened& fake) {
    frontend::KernelSignature signature;
    signature.name = "add";
    signature.parameters = {fake::pointer("out"), fake::value("by", "int", frontend::ValueKind::signed_integer, 4)};
    return fake.kernel(signature, [](const fake::Call& call) { *call.pointer<int>(0) += call.value<int>(1); });
}

int first_of(const Queue& queue, const Buffer& buffer) { return fake::read_ints(queue, buffer).at(0); }

} // namespace

TEST_CASE("recording: nothing runs before the replay, and each replay runs all in order") {
    both_ways([](Opened& fake, bool captures) {
        const Queue queue = fake.device.create_queue(), other = fake.device.create_queue();
        const Buffer buffer = fake.buffer(std::vector<int>{0, 0}), copy = fake.buffer(std::vector<int>{0, 0});
        const auto add = adder(fake);
        int by = 3;
        const Recording recording = record_commands(queue, [&] {
            queue.launch(add, 1, buffer, by);
            queue.copy(copy, 0, buffer, 0, 8);
            queue.launch(add, 1, buffer, 10);
            queue.fill(buffer, 4, 4, "abcd", 4);
            by = 100; // values are those of the call
        });
        queue.wait();
        CHECK(fake.plan->taken().empty());
        CHECK(recording.commands() == 4);
        CHECK(recording.is_graph() == captures);
        CHECK(recording.device() == fake.device);
        recording.replay(queue);
        CHECK(first_of(queue, buffer) == 13);
        CHECK(first_of(queue, copy) == 3);
        recording.replay(queue);
        recording.replay(queue);
        other.wait_for(queue.record());
        recording.replay(other);
        CHECK(first_of(other, buffer) == 52);
        CHECK(first_of(other, copy) == 42);
        CHECK(fake.plan->replayed == (captures ? 4 : 0));
    });
}

TEST_CASE("recording: writes are recorded with their bytes, and then it is a list") {
    both_ways([](Opened& fake, bool) {
        const Queue queue = fake.device.create_queue();
        const Buffer buffer = fake.buffer(std::vector<int>{0});
        int value = 7;
        const Recording recording = record_commands(queue, [&] {
            queue.write(buffer, 0, &value, 4);
            queue.launch(adder(fake), 1, buffer, 1);
        });
        value = 100;
        CHECK_FALSE(recording.is_graph());
        CHECK(fake.plan->captured == 0);
        for (int i = 0; i < 2; ++i)
            recording.replay(queue);
        CHECK(first_of(queue, buffer) == 8);
    });
}

TEST_CASE("recording: what it uses stays, and is given back with its last handle") {
    both_ways([](Opened& fake, bool) {
        const Queue queue = fake.device.create_queue();
        Recording recording;
        const Buffer result = fake.buffer(std::vector<int>{0});
        {
            const Buffer passing = fake.device.allocate(4000);
            recording = record_commands(queue, [&] {
                queue.fill(passing, 0, 4000, "\1\0\0\0", 4);
                queue.launch(adder(fake), 1, passing, 4);
                queue.copy(result, 0, passing, 0, 4);
            });
        }
        const Buffer fresh = fake.device.allocate(4000); // not the same memory
        queue.fill(fresh, 0, 4000, "\2\0\0\0", 4);
        recording.replay(queue);
        CHECK(first_of(queue, result) == 5);
        CHECK(first_of(queue, fresh) == 2);
        const std::uint64_t before = memory_statistics(fake.device).in_use;
        fake.plan->gate.close();
        recording.replay(queue);
        recording = {}; // the replay is still to run
        CHECK(memory_statistics(fake.device).in_use < before);
        const Buffer next = fake.device.allocate(4000);
        queue.fill(next, 0, 4000, "\3\0\0\0", 4);
        fake.plan->gate.open();
        CHECK(first_of(queue, result) == 5);
        CHECK(first_of(queue, next) == 3);
    });
}

TEST_CASE("recording: a replay counts as a use of its memory") {
    both_ways([](Opened& fake, bool) {
        const Queue busy = fake.device.create_queue(), other = fake.device.create_queue();
        std::promise<void> gate;
        frontend::KernelSignature signature;
        signature.name = "slow";
        signature.parameters = {fake::pointer("out")};
        const auto slow = fake.kernel(signature, [wait = gate.get_future().share()](const fake::Call& call) {
            wait.wait();
            *call.pointer<int>(0) = 1;
        });
        const std::byte* where = nullptr;
        {
            const Buffer passing = fake.device.allocate(4);
            where = static_cast<fake::Memory&>(*passing.state()->memory).data.data();
            const Recording recording = record_commands(busy, [&] { busy.launch(slow, 1, passing); });
            recording.replay(busy);
        }
        const Buffer next = fake.device.allocate(4);
        REQUIRE(static_cast<fake::Memory&>(*next.state()->memory).data.data() == where);
        other.fill(next, 0, 4, "\2\0\0\0", 4);
        gate.set_value();
        CHECK(first_of(other, next) == 2);
    });
}

TEST_CASE("recording: a queue that waits for another device replays when its turn comes") {
    both_ways([](Opened& fake, bool) {
        Opened slow("fake:1");
        const Queue queue = fake.device.create_queue(), elsewhere = slow.device.create_queue();
        const Buffer buffer = fake.buffer(std::vector<int>{0});
        const Recording recording = record_commands(queue, [&] { queue.launch(adder(fake), 1, buffer, 1); });
        slow.plan->gate.close();
        elsewhere.launch(slow.task([] {}), 1);
        queue.wait_for(elsewhere.record());
        recording.replay(queue);
        recording.replay(queue);
        CHECK(fake.plan->taken().empty());
        slow.plan->gate.open();
        CHECK(first_of(queue, buffer) == 2);
    });
}

TEST_CASE("recording: what cannot be part of it is refused, and what is wrong is not recorded") {
    Opened fake, other("fake:1");
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.buffer(std::vector<int>{5}), foreign = other.device.allocate(4);
    const Event event = queue.record();
    constexpr auto invalid = ErrorCode::invalid_argument;
    CHECK(fake::code_of([&] { static_cast<void>(end_recording(queue)); }) == invalid);
    begin_recording(queue);
    int value = 0;
    CHECK(fake::code_of([&] { begin_recording(queue); }) == invalid);
    CHECK(fake::code_of([&] { queue.read(&value, buffer, 0, 4); }) == invalid);
    CHECK(fake::code_of([&] { queue.read(&value, buffer, 0, 0); }) == invalid);
    CHECK(fake::code_of([&] { static_cast<void>(queue.record()); }) == invalid);
    CHECK(fake::code_of([&] { queue.wait_for(event); }) == invalid);
    CHECK(fake::code_of([&] { queue.flush(); }) == invalid);
    CHECK(fake::code_of([&] { queue.wait(); }) == invalid);
    CHECK(fake::code_of([&] { queue.copy(foreign, 0, buffer, 0, 4); }) == invalid);
    CHECK(fake::code_of([&] { queue.launch(adder(fake), 1, buffer); }) == invalid);
    CHECK(fake::code_of([&] { queue.fill(buffer, 1, 4, "abcd", 4); }) == invalid);
    queue.launch(adder(fake), 1, buffer, 1);
    queue.launch(adder(fake), 0, buffer, 1); // nothing to do
    const Recording recording = end_recording(queue);
    CHECK(recording.commands() == 1);
    CHECK(fake::code_of([&] { static_cast<void>(end_recording(queue)); }) == invalid);
    CHECK(fake::code_of([&] { recording.replay(other.device.create_queue()); }) == invalid);
    CHECK(fake::code_of([&] { recording.replay(Queue()); }) == invalid);
    CHECK(fake::code_of([&] { Recording().replay(queue); }) == invalid);
    CHECK(fake::code_of([&] { begin_recording(Queue()); }) == invalid);
    begin_recording(queue);
    CHECK(fake::code_of([&] { recording.replay(queue); }) == invalid);
    cancel_recording(queue);
    cancel_recording(queue);
    recording.replay(queue);
    CHECK(first_of(queue, buffer) == 6);
}

TEST_CASE("recording: a body that throws leaves the queue as it was") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.buffer(std::vector<int>{5});
    CHECK_THROWS_AS(static_cast<void>(record_commands(queue,
                                                      [&] {
                                                          queue.launch(adder(fake), 1, buffer, 1);
                                                          throw std::runtime_error("enough");
                                                      })),
                    std::runtime_error);
    CHECK(first_of(queue, buffer) == 5);
    begin_recording(queue); // a queue may go in the middle of it
}

TEST_CASE("recording: failures of a replay are those of its commands") {
    both_ways([](Opened& fake, bool captures) {
        const Queue queue = fake.device.create_queue();
        const Buffer buffer = fake.buffer(std::vector<int>{0});
        const Recording recording = record_commands(queue, [&] {
            queue.launch(adder(fake), 1, buffer, 1);
            queue.launch(adder(fake), 1, buffer, 10);
        });
        fake.plan->fail_next(ErrorCode::unsupported, 1);
        recording.replay(queue);
        CHECK(fake::code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
        CHECK(first_of(queue, buffer) == 1);
        if (!captures) {
            fake.plan->refuse_next(ErrorCode::out_of_memory, 1);
            CHECK(fake::code_of([&] { recording.replay(queue); }) == ErrorCode::out_of_memory);
            CHECK(first_of(queue, buffer) == 2);
        }
        recording.replay(queue);
        CHECK(first_of(queue, buffer) == (captures ? 12 : 13));
    });
}

TEST_CASE("recording: what the backend refuses to take is replayed one by one") {
    Opened fake;
    fake.plan->captures = true;
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.buffer(std::vector<int>{0});
    begin_recording(queue);
    queue.launch(adder(fake), 1, buffer, 1);
    queue.launch(adder(fake), 1, buffer, 2);
    fake.plan->refuse_next(ErrorCode::unsupported, 1);
    const Recording recording = end_recording(queue);
    CHECK_FALSE(recording.is_graph());
    recording.replay(queue);
    CHECK(first_of(queue, buffer) == 3);
}

TEST_CASE("recording: threads replay one recording on queues of their own") {
    both_ways([](Opened& fake, bool) {
        const Buffer buffer = fake.buffer(std::vector<int>{0});
        std::atomic<int> ran = 0;
        Queue first = fake.device.create_queue();
        const auto count = fake.task([&] { ++ran; });
        const Recording recording = record_commands(first, [&] {
            for (int i = 0; i < 3; ++i)
                first.launch(count, 1);
        });
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                const Queue queue = fake.device.create_queue();
                for (int i = 0; i < 50; ++i)
                    recording.replay(queue);
                queue.wait();
            });
        for (std::thread& thread : threads)
            thread.join();
        CHECK(ran == 600);
        CHECK(fake.plan->crowded == 0);
    });
}
