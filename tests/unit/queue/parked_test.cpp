// Queues that wait for another device's events: the bridge, and what parked commands keep.
#include "fake_backend.hpp"
#include "fork.hpp"
#include "memory_pool.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace devq;
using fake::code_of;
using fake::Opened;

namespace {

Kernel adder(const Opened& fake) {
    frontend::KernelSignature signature;
    signature.name = "add";
    signature.parameters = {fake::pointer("data"), fake::value("n", "int", frontend::ValueKind::signed_integer, 4)};
    return fake.kernel(signature, [](const fake::Call& call) {
        for (std::size_t i = 0; i < call.range.global[0]; ++i)
            call.pointer<int>(0)[i] += call.value<int>(1);
    });
}

} // namespace

TEST_CASE("a queue behind another device's event keeps its commands, values copied, in order") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue first = slow.device.create_queue(), second = fast.device.create_queue();
    const Buffer buffer = fast.buffer(std::vector<int>{0, 0, 0, 0}), copy = fast.buffer(std::vector<int>{0, 0, 0, 0});
    slow.plan->gate.close();
    first.launch(slow.task([] {}), 1);
    second.wait_for(first.record());
    {
        std::vector<int> source{1, 2, 3, 4};
        second.write<int>(buffer, source);
        std::fill(source.begin(), source.end(), -1);
        int n = 10;
        second.launch(adder(fast), 4, buffer, n);
        n = -1;
        second.copy(copy, 0, buffer, 0, 16);
        short pattern = 5;
        second.fill(buffer, 0, 8, &pattern, 2);
        pattern = -1;
    }
    const Event end = second.record();
    second.flush();
    CHECK(fast.plan->taken().empty());
    CHECK_FALSE(end.done());
    slow.plan->gate.open();
    end.wait();
    CHECK(fast.plan->taken() == std::vector<std::string>{"write", "launch", "copy", "fill"});
    CHECK(fake::read_ints(second, copy) == std::vector<int>{11, 12, 13, 14});
    CHECK(fake::read_ints(second, buffer) == std::vector<int>{0x50005, 0x50005, 13, 14});
}

TEST_CASE("a read on a parked queue blocks until the data is there") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue first = slow.device.create_queue(), second = fast.device.create_queue();
    const Buffer buffer = fast.buffer(std::vector<int>{0});
    slow.plan->gate.close();
    first.launch(slow.task([] {}), 1);
    second.wait_for(first.record());
    const int seven = 7;
    second.write(buffer, 0, &seven, 4);
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        slow.plan->gate.open();
    });
    CHECK(fake::read_ints(second, buffer) == std::vector<int>{7});
    opener.join();
}

TEST_CASE("a chain over three devices, each waiting for the one before") {
    Opened a("fake:0"), b("fake:1"), c("fake:2");
    const Queue qa = a.device.create_queue(), qb = b.device.create_queue(), qc = c.device.create_queue();
    std::vector<int> order;
    a.plan->gate.close();
    for (int round = 0; round < 10; ++round) {
        qa.launch(a.task([&] { order.push_back(0); }), 1);
        qb.wait_for(qa.record()); // qb is parked, so that the next event is not recorded yet when qc waits for it
        qb.launch(b.task([&] { order.push_back(1); }), 1);
        qc.wait_for(qb.record());
        qc.launch(c.task([&] { order.push_back(2); }), 1);
        qa.wait_for(qc.record());
    }
    a.plan->gate.open();
    qa.wait();
    REQUIRE(order.size() == 30);
    for (int i = 0; i < 30; ++i)
        CHECK(order[static_cast<std::size_t>(i)] == i % 3);
}

TEST_CASE("a queue may wait for its own events, and for those of a queue that is parked on the same device") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue other = slow.device.create_queue(), one = fast.device.create_queue(), two = fast.device.create_queue();
    std::vector<int> order;
    slow.plan->gate.close();
    other.launch(slow.task([] {}), 1);
    one.wait_for(other.record());
    one.launch(fast.task([&] { order.push_back(1); }), 1);
    const Event own = one.record();
    one.wait_for(own);
    two.wait_for(own);
    two.launch(fast.task([&] { order.push_back(2); }), 1);
    CHECK(order.empty());
    slow.plan->gate.open();
    two.wait();
    one.wait();
    CHECK(order == std::vector<int>{1, 2});
    const Event again = one.record();
    one.wait_for(again);
    CHECK_NOTHROW(one.wait());
}

TEST_CASE("what a parked command is refused with is the queue's asynchronous failure") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue first = slow.device.create_queue(), second = fast.device.create_queue();
    slow.plan->gate.close();
    first.launch(slow.task([] {}), 1);
    second.wait_for(first.record());
    int ran = 0;
    fast.plan->refuse_next(ErrorCode::out_of_memory, 1);
    second.launch(fast.task([&] { ran += 1; }), 1);
    second.launch(fast.task([&] { ran += 10; }), 1);
    second.launch(fast.task([&] { ran += 100; }), 1);
    const Event end = second.record();
    slow.plan->gate.open();
    CHECK(code_of([&] { end.wait(); }) == ErrorCode::out_of_memory);
    CHECK(fake::message_of([&] { second.wait(); }) == "Queue::launch: planned out_of_memory. This is a test.");
    CHECK(ran == 1);
    CHECK_NOTHROW(second.wait());
    second.launch(fast.task([&] { ran += 1000; }), 1);
    second.wait();
    CHECK(ran == 1001);
}

TEST_CASE("a failure of the backend's queue comes before one of what is parked behind it") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue first = slow.device.create_queue(), second = fast.device.create_queue();
    slow.plan->gate.close();
    slow.plan->fail_next(ErrorCode::build_failed);
    first.launch(slow.task([] {}), 1);
    fast.plan->gate.close();
    fast.plan->fail_next(ErrorCode::unsupported);
    second.launch(fast.task([] {}), 1);
    second.wait_for(first.record());
    slow.plan->gate.open();
    CHECK_THROWS_AS(first.wait(), Error);
    fast.plan->gate.open();
    CHECK(code_of([&] { second.wait(); }) == ErrorCode::unsupported);
    CHECK_NOTHROW(second.wait());
}

TEST_CASE("queued commands keep a buffer alive, and give it up when they are done") {
    for (const bool parked : {false, true}) {
        CAPTURE(parked);
        Opened slow("fake:0"), fast("fake:1");
        fast.device.state()->pool->set_caching(false); // which would keep the memory
        const Queue other = slow.device.create_queue(), queue = fast.device.create_queue();
        slow.plan->gate.close();
        fast.plan->gate.close();
        other.launch(slow.task([] {}), 1);
        if (parked)
            queue.wait_for(other.record());
        std::weak_ptr<backend::Memory> memory;
        {
            const Buffer buffer = fast.device.allocate(4);
            memory = buffer.state()->memory;
            queue.launch(adder(fast), 1, buffer, 3);
            queue.fill(buffer, 0, 4, "x", 1);
        }
        CHECK_FALSE(memory.expired());
        slow.plan->gate.open();
        fast.plan->gate.open();
        queue.wait();
        CHECK(memory.expired());
    }
}

TEST_CASE("the last handle of a parked queue waits for what was queued") {
    Opened slow("fake:0"), fast("fake:1");
    const Queue first = slow.device.create_queue();
    std::atomic<int> ran = 0;
    slow.plan->gate.close();
    first.launch(slow.task([] {}), 1);
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        slow.plan->gate.open();
    });
    {
        const Queue second = fast.device.create_queue();
        second.wait_for(first.record());
        second.launch(fast.task([&] { ran = 1; }), 1);
    }
    CHECK(ran == 1);
    opener.join();
}

TEST_CASE("elapsed time between two events") {
    Opened fake("fake:0"), other("fake:1");
    const Queue queue = fake.device.create_queue(), elsewhere = other.device.create_queue();
    const Event start = queue.record();
    start.wait();
    queue.launch(fake.task([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }), 1);
    fake.plan->gate.close();
    const Event end = queue.record(), foreign = elsewhere.record();
    CHECK(code_of([&] { elapsed_ms(start, foreign); }) == ErrorCode::invalid_argument);
    CHECK(code_of([&] { elapsed_ms(start, end); }) == ErrorCode::invalid_argument);
    fake.plan->gate.open();
    end.wait();
    CHECK(elapsed_ms(start, end) >= 4.9);
    CHECK(elapsed_ms(end, start) == -elapsed_ms(start, end));

    fake.plan->fail_next(ErrorCode::unavailable);
    queue.launch(fake.task([] {}), 1);
    const Event failed = queue.record();
    CHECK_THROWS_AS(failed.wait(), Error);
    CHECK(fake::message_of([&] { elapsed_ms(start, failed); }).starts_with("elapsed_ms: "));
    CHECK_THROWS_AS(queue.wait(), Error);
}

TEST_CASE("child: queues in static objects are parked when the process ends" * doctest::skip()) {
    // Destroyed in the opposite order: the bridge thread stops, nothing has run, the gate opens, the queues go.
    static auto* slow = new Opened("fake:0");
    static auto* fast = new Opened("fake:1");
    static struct AllRan {
        ~AllRan() {
            if (slow->plan->taken().size() != 2 || fast->plan->taken().size() != 1)
                std::_Exit(78);
        }
    } all_ran;
    static Queue third, second, first;
    static struct OpenGate {
        ~OpenGate() {
            if (!fast->plan->taken().empty())
                std::_Exit(77);
            slow->plan->gate.open();
        }
    } open_gate;
    first = slow->device.create_queue();
    second = fast->device.create_queue();
    third = slow->device.create_queue();
    slow->plan->gate.close();
    first.launch(slow->task([] {}), 1);
    second.wait_for(first.record());
    second.launch(fast->task([] {}), 1);
    third.wait_for(second.record());
    third.launch(slow->task([] {}), 1);
    static_cast<void>(all_ran);
    static_cast<void>(open_gate);
}

TEST_CASE("a process ends well with parked queues in static objects") {
    CHECK(support::run_case_alone("child: queues in static objects are parked when the process ends") == 0);
}

TEST_CASE("a forked child is refused its parent's device, and can drop its handles") {
    Opened fake("fake:0"), other("fake:1");
    auto queue = std::make_unique<Queue>(fake.device.create_queue());
    auto parked = std::make_unique<Queue>(other.device.create_queue());
    auto buffer = std::make_unique<Buffer>(fake.device.allocate(4));
    auto event = std::make_unique<Event>(queue->record());
    fake.plan->gate.close();
    queue->launch(fake.task([] {}), 1);
    parked->wait_for(queue->record());
    parked->launch(other.task([] {}), 1);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        int wrong = 0;
        const int value = 1;
        const auto refused = [&](const std::function<void()>& call) {
            try {
                call();
                ++wrong;
            } catch (const Error& error) {
                wrong += error.code() == ErrorCode::unsupported ? 0 : 1;
            }
        };
        refused([&] { queue->write(*buffer, 0, &value, 4); });
        refused([&] { fake::read_ints(*queue, *buffer); });
        refused([&] { queue->fill(*buffer, 0, 4, &value, 4); });
        refused([&] { queue->copy(*buffer, 0, *buffer, 2, 2); });
        refused([&] { queue->launch(fake.task([] {}), 1); });
        refused([&] { static_cast<void>(queue->record()); });
        refused([&] { queue->wait_for(*event); });
        refused([&] { queue->flush(); });
        refused([&] { queue->wait(); });
        refused([&] { event->wait(); });
        refused([&] { static_cast<void>(event->done()); });
        refused([&] { static_cast<void>(fake.device.create_queue()); });
        refused([&] { static_cast<void>(fake.device.allocate(4)); });
        refused([&] { static_cast<void>(fake.device.build("kernel void k(void) {}")); });
        refused([&] { static_cast<void>(fake.device.capabilities()); });
        if (!support::thread_sanitizer) {
            const Opened own("fake:2"); // of the child: good, but not for what the parent has recorded
            const Queue fresh = own.device.create_queue();
            refused([&] { fresh.wait_for(*event); });
            fresh.wait();
        }
        event.reset();
        buffer.reset();
        parked.reset(); // would wait for ever: the parent's threads are not here
        queue.reset();
        fake.device = {};
        fake.native.reset();
        ::_exit(wrong);
    }
    int status = -1;
    for (int i = 0; i < 500 && ::waitpid(child, &status, WNOHANG) == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    fake.plan->gate.open();
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK_NOTHROW(queue->wait());
    CHECK_NOTHROW(parked->wait());
}
