// How a queue fails: what is thrown at the call, what is kept for wait(), what is dropped, what is cleared.
#include "fake_backend.hpp"
#include "support.hpp"
#include <doctest/doctest.h>

using namespace devq;
using fake::code_of;
using fake::message_of;
using fake::Opened;

TEST_CASE("commands of a queue run in the order of the calls") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Buffer a = fake.device.allocate(16), b = fake.device.allocate(16);
    fake.plan->gate.close();
    const int seven = 7;
    queue.write(a, 0, &seven, sizeof seven);
    queue.copy(b, 4, a, 0, 4);
    queue.fill(a, 0, 16, &seven, 4);
    queue.launch(fake.task([] {}), 1);
    fake.plan->gate.open();
    queue.wait();
    CHECK(fake.plan->taken() == std::vector<std::string>{"write", "copy", "fill", "launch"});
    CHECK(fake::read_ints(queue, a) == std::vector<int>{7, 7, 7, 7});
    CHECK(fake::read_ints(queue, b)[1] == 7);
}

TEST_CASE("an asynchronous failure drops what is behind it, is thrown once, and the queue goes on") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    int ran = 0;
    fake.plan->fail_next(ErrorCode::unsupported);
    queue.launch(fake.task([&] { ran += 1; }), 1);
    queue.launch(fake.task([&] { ran += 10; }), 1);
    CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
    CHECK(ran == 0);
    CHECK_NOTHROW(queue.wait());
    queue.launch(fake.task([&] { ran += 100; }), 1);
    CHECK_NOTHROW(queue.wait());
    CHECK(ran == 100);
}

TEST_CASE("the first of two failures is the one that is thrown") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    fake.plan->gate.close();
    fake.plan->fail_next(ErrorCode::unsupported);
    queue.launch(fake.task([] {}), 1);
    fake.plan->gate.open();
    CHECK_THROWS_AS(queue.record().wait(), Error); // the first has happened, and nobody has read it from the queue
    fake.plan->fail_next(ErrorCode::build_failed);
    queue.launch(fake.task([] {}), 1);
    CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
    CHECK_NOTHROW(queue.wait());
}

TEST_CASE("the message names the operation that the caller used") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    fake.plan->fail_next(ErrorCode::unsupported);
    queue.launch(fake.task([] {}), 1);
    CHECK(message_of([&] { queue.wait(); }) == "Queue::wait: planned unsupported. This is a test.");
    fake.plan->refuse_next(ErrorCode::out_of_memory);
    CHECK(message_of([&] { queue.launch(fake.task([] {}), 1); }) ==
          "Queue::launch: planned out_of_memory. This is a test.");
}

TEST_CASE("what is refused at the call is not queued, and the queue goes on") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    int ran = 0;
    queue.launch(fake.task([&] { ran += 1; }), 1);
    fake.plan->refuse_next(ErrorCode::out_of_memory);
    CHECK(code_of([&] { queue.launch(fake.task([&] { ran += 10; }), 1); }) == ErrorCode::out_of_memory);
    queue.launch(fake.task([&] { ran += 100; }), 1);
    CHECK_NOTHROW(queue.wait());
    CHECK(ran == 101);
}

TEST_CASE("out of memory is thrown by allocate, and later allocations work") {
    Opened fake;
    fake.plan->memory_left = 100;
    CHECK(code_of([&] { fake.device.allocate(101); }) == ErrorCode::out_of_memory);
    CHECK(fake.device.allocate(100).size() == 100);
    CHECK(code_of([&] { fake.device.allocate(~std::size_t{0}); }) == ErrorCode::invalid_argument);
    CHECK(fake.device.allocate(0).size() == 0);
}

TEST_CASE("a read that fails throws what wait() would, once") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.buffer(std::vector<int>{1, 2, 3});
    fake.plan->fail_next(ErrorCode::unsupported);
    CHECK(code_of([&] { fake::read_ints(queue, buffer); }) == ErrorCode::unsupported);
    CHECK(fake::read_ints(queue, buffer) == std::vector<int>{1, 2, 3});
    CHECK_NOTHROW(queue.wait());
}

TEST_CASE("a read of no bytes throws what wait() would") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Buffer none = fake.device.allocate(0);
    fake.plan->fail_next(ErrorCode::unsupported);
    queue.launch(fake.task([] {}), 1);
    CHECK(code_of([&] { queue.read(nullptr, none, 0, 0); }) == ErrorCode::unsupported);
    CHECK_NOTHROW(queue.read(nullptr, none, 0, 0));
}

TEST_CASE("a lost device never comes back, and other devices go on") {
    Opened lost("fake:0"), other("fake:1");
    const Queue queue = lost.device.create_queue(), second = lost.device.create_queue();
    const Queue elsewhere = other.device.create_queue();
    const Buffer buffer = lost.device.allocate(4);
    lost.plan->fail_next(ErrorCode::device_lost);
    queue.launch(lost.task([] {}), 1);
    for (int i = 0; i < 3; ++i)
        CHECK(code_of([&] { queue.wait(); }) == ErrorCode::device_lost);
    CHECK(code_of([&] { second.wait(); }) == ErrorCode::device_lost);
    CHECK(code_of([&] { queue.launch(lost.task([] {}), 1); }) == ErrorCode::device_lost);
    CHECK(code_of([&] { fake::read_ints(queue, buffer); }) == ErrorCode::device_lost);
    CHECK(code_of([&] { lost.device.allocate(4); }) == ErrorCode::device_lost);
    CHECK(code_of([&] { lost.device.create_queue(); }) == ErrorCode::device_lost);
    const Event event = queue.record();
    CHECK(event.done());
    CHECK(code_of([&] { event.wait(); }) == ErrorCode::device_lost);

    // A queue of another device that waits for it fails, once: its own device is there.
    elsewhere.wait_for(event);
    CHECK(code_of([&] { elsewhere.wait(); }) == ErrorCode::device_lost);
    CHECK_NOTHROW(elsewhere.wait());
    int ran = 0;
    elsewhere.launch(other.task([&] { ran = 1; }), 1);
    CHECK_NOTHROW(elsewhere.wait());
    CHECK(ran == 1);
}

TEST_CASE("an event behind a failure carries it, each time") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Event before = queue.record();
    fake.plan->fail_next(ErrorCode::unsupported);
    queue.launch(fake.task([] {}), 1);
    const Event behind = queue.record();
    CHECK_NOTHROW(before.wait());
    for (int i = 0; i < 2; ++i)
        CHECK(code_of([&] { behind.wait(); }) == ErrorCode::unsupported);
    CHECK(behind.done());
    CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
    CHECK(code_of([&] { behind.wait(); }) == ErrorCode::unsupported);
    const Event after = queue.record();
    CHECK_NOTHROW(after.wait());
}

TEST_CASE("a queue that waits for a failed event fails with it") {
    for (const bool same_device : {true, false}) {
        for (const bool already_failed : {true, false}) {
            CAPTURE(same_device);
            CAPTURE(already_failed);
            Opened first("fake:0"), second("fake:1");
            const Queue source = first.device.create_queue();
            const Opened& where = same_device ? first : second;
            const Queue queue = where.device.create_queue();
            first.plan->gate.close();
            first.plan->fail_next(ErrorCode::unsupported);
            source.launch(first.task([] {}), 1);
            const Event event = source.record();
            int ran = 0;
            if (already_failed) {
                first.plan->gate.open();
                CHECK_THROWS_AS(event.wait(), Error);
            }
            queue.wait_for(event);
            queue.launch(where.task([&] { ran = 1; }), 1);
            const Event end = queue.record();
            first.plan->gate.open();
            CHECK(code_of([&] { end.wait(); }) == ErrorCode::unsupported);
            CHECK(code_of([&] { queue.wait(); }) == ErrorCode::unsupported);
            CHECK(ran == 0);
            CHECK_NOTHROW(queue.wait());
            queue.launch(where.task([&] { ran = 2; }), 1);
            CHECK_NOTHROW(queue.wait());
            CHECK(ran == 2);
            CHECK(code_of([&] { source.wait(); }) == ErrorCode::unsupported);
        }
    }
}

TEST_CASE("a failure that nobody reads is one line on stderr") {
    Opened fake;
    support::Stderr stderr_text;
    {
        const Queue queue = fake.device.create_queue();
        fake.plan->fail_next(ErrorCode::unsupported);
        queue.launch(fake.task([] {}), 1);
        const Queue copy = queue; // the last handle counts
    }
    const std::string text = stderr_text.text();
    CHECK(text ==
          "devq: fake:0: a queue ended with a failure that nobody had read: planned unsupported. This is a test.\n");
}

TEST_CASE("a failure that was read is not told again") {
    Opened fake, lost("fake:1");
    support::Stderr stderr_text;
    {
        const Queue queue = fake.device.create_queue(), gone = lost.device.create_queue();
        fake.plan->fail_next(ErrorCode::unsupported);
        queue.launch(fake.task([] {}), 1);
        CHECK_THROWS_AS(queue.wait(), Error);
        queue.launch(fake.task([] {}), 1);
        lost.plan->fail_next(ErrorCode::device_lost);
        gone.launch(lost.task([] {}), 1);
        CHECK_THROWS_AS(gone.wait(), Error);
    }
    CHECK(stderr_text.text().empty());
}

TEST_CASE("a failed event that nobody else reads is the failure of the queue that waited") {
    Opened first("fake:0"), second("fake:1");
    support::Stderr stderr_text;
    {
        const Queue source = first.device.create_queue();
        first.plan->fail_next(ErrorCode::unsupported);
        source.launch(first.task([] {}), 1);
        {
            const Queue queue = second.device.create_queue();
            queue.wait_for(source.record());
        }
        CHECK_THROWS_AS(source.wait(), Error);
    }
    CHECK(stderr_text.text() ==
          "devq: fake:1: a queue ended with a failure that nobody had read: planned unsupported. This is a test.\n");
}

TEST_CASE("empty handles are the caller's mistake") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.device.allocate(4);
    int value = 0;
    const auto invalid = ErrorCode::invalid_argument;
    CHECK(code_of([&] { Queue().wait(); }) == invalid);
    CHECK(code_of([&] { Queue().write(buffer, 0, &value, 4); }) == invalid);
    CHECK(code_of([&] { Queue().launch(fake.task([] {}), 1); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Queue().record()); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Queue().device()); }) == invalid);
    CHECK(code_of([&] { queue.wait_for(Event()); }) == invalid);
    CHECK(code_of([&] { queue.launch(Kernel(), 1); }) == invalid);
    CHECK(code_of([&] { queue.write(Buffer(), 0, &value, 4); }) == invalid);
    CHECK(code_of([&] { queue.copy(buffer, 0, Buffer(), 0, 4); }) == invalid);
    CHECK(code_of([&] { queue.fill(Buffer(), 0, 4, &value, 4); }) == invalid);
    CHECK(code_of([&] { Event().wait(); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Event().done()); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Device().info()); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Device().create_queue()); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Device().allocate(1)); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Device().build("")); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Buffer().device()); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Program().kernel("x")); }) == invalid);
    CHECK(code_of([&] { static_cast<void>(Kernel().name()); }) == invalid);
    CHECK(Buffer().size() == 0);
    CHECK_NOTHROW(queue.wait());
}

TEST_CASE("ranges are checked without overflow, and the queue is usable afterwards") {
    Opened fake, other("fake:1");
    const Queue queue = fake.device.create_queue();
    const Buffer buffer = fake.buffer(std::vector<int>{1, 2, 3, 4}), elsewhere = other.device.allocate(16);
    constexpr std::size_t huge = ~std::size_t{0};
    std::array<int, 4> host{};
    const auto refused = [&](const std::function<void()>& call) {
        return code_of(call) == ErrorCode::invalid_argument;
    };
    CHECK(refused([&] { queue.write(buffer, 0, host.data(), 17); }));
    CHECK(refused([&] { queue.write(buffer, 17, host.data(), 0); }));
    CHECK(refused([&] { queue.write(buffer, huge, host.data(), 2); }));
    CHECK(refused([&] { queue.write(buffer, 2, host.data(), huge); }));
    CHECK(refused([&] { queue.write(buffer, 0, nullptr, 4); }));
    CHECK(refused([&] { queue.read(host.data(), buffer, 13, 4); }));
    CHECK(refused([&] { queue.read(nullptr, buffer, 0, 4); }));
    CHECK(refused([&] { queue.read(host.data(), elsewhere, 0, 4); }));
    CHECK(refused([&] { queue.write(elsewhere, 0, host.data(), 4); }));
    CHECK(refused([&] { queue.copy(buffer, 0, buffer, 4, 5); }));
    CHECK(refused([&] { queue.copy(buffer, 4, buffer, 0, 5); }));
    CHECK(refused([&] { queue.copy(buffer, 0, buffer, 0, 1); }));
    CHECK(refused([&] { queue.copy(buffer, 0, elsewhere, 15, 2); }));
    CHECK(refused([&] { queue.copy(elsewhere, 0, elsewhere, 8, 4); }));
    CHECK(refused([&] { queue.fill(buffer, 0, 16, host.data(), 3); }));
    CHECK(refused([&] { queue.fill(buffer, 0, 16, host.data(), 32); }));
    CHECK(refused([&] { queue.fill(buffer, 0, 16, host.data(), 0); }));
    CHECK(refused([&] { queue.fill(buffer, 2, 4, host.data(), 4); }));
    CHECK(refused([&] { queue.fill(buffer, 0, 6, host.data(), 4); }));
    CHECK(refused([&] { queue.fill(elsewhere, 0, 4, host.data(), 4); }));
    CHECK(fake.plan->taken().empty());
    queue.copy(buffer, 8, buffer, 0, 8);
    queue.copy(buffer, 0, buffer, 0, 0);
    queue.write(buffer, 16, nullptr, 0);
    queue.fill(buffer, 16, 0, host.data(), 4);
    CHECK(fake::read_ints(queue, buffer) == std::vector<int>{1, 2, 1, 2});
}
