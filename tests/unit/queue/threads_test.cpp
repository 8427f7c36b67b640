// Many threads on one queue and on several; run under ThreadSanitizer too.
#include "../../seed.hpp"
#include "fake_backend.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace devq;
using fake::Opened;

namespace {

constexpr int threads = 4, per_thread = 500;

/// Runs body(number, random) on several threads.
void on_threads(unsigned seed, const std::function<void(int, std::mt19937&)>& body) {
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            std::mt19937 random(seed + static_cast<unsigned>(t));
            body(t, random);
        });
    for (std::thread& thread : running)
        thread.join();
}

unsigned fresh_seed() { return static_cast<unsigned>(tests::fresh_seed("threads")); }

} // namespace

TEST_CASE("threads share one queue") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    std::atomic<int> ran = 0;
    std::atomic<int> wrong = 0;
    on_threads(1, [&](int t, std::mt19937&) {
        const Buffer mine = fake.device.allocate(4);
        for (int i = 0; i < per_thread; ++i) {
            const int value = t * 1000 + i;
            queue.write(mine, 0, &value, 4);
            queue.launch(fake.task([&] { ++ran; }), 1);
            if (i % 4 == 0)
                wrong += fake::read_ints(queue, mine)[0] != value;
            if (i % 16 == 0)
                queue.wait();
            if (i % 32 == 0)
                queue.wait_for(queue.record());
        }
    });
    queue.wait();
    CHECK(ran == threads * per_thread);
    CHECK(wrong == 0);
    CHECK(fake.plan->crowded == 0);
}

TEST_CASE("threads with queues of their own wait for one another's events over three devices") {
    const unsigned seed = fresh_seed();
    Opened fakes[] = {Opened("fake:0"), Opened("fake:1"), Opened("fake:2", true)};
    std::mutex mutex;
    std::vector<Event> events; // of all threads: a thread may wait for any that there is already, so no cycle arises
    std::atomic<int> wrong = 0;
    on_threads(seed, [&](int t, std::mt19937& random) {
        const Opened& mine = fakes[t % 3];
        const Opened& other = fakes[(t + 1) % 3];
        const Queue queue = mine.device.create_queue();
        const Buffer here = mine.device.allocate(4), there = other.device.allocate(4), back = mine.device.allocate(4);
        for (int i = 0; i < per_thread; ++i) {
            const int value = t * 1000 + i;
            switch (random() % 4) {
            case 0: {
                const std::lock_guard lock(mutex);
                if (!events.empty())
                    queue.wait_for(events[random() % events.size()]);
                break;
            }
            case 1: {
                const Event event = queue.record();
                const std::lock_guard lock(mutex);
                events.push_back(event);
                break;
            }
            case 2:
                queue.fill(here, 0, 4, &value, 4);
                queue.copy(there, 0, here, 0, 4);
                queue.copy(back, 0, there, 0, 4);
                wrong += fake::read_ints(queue, back)[0] != value;
                break;
            default:
                queue.write(here, 0, &value, 4);
                wrong += fake::read_ints(queue, here)[0] != value;
            }
        }
        queue.wait();
    });
    CHECK(wrong == 0);
    for (const Opened& fake : fakes)
        CHECK(fake.plan->crowded == 0);
}

TEST_CASE("a read that was dropped never looks like one that arrived, however threads clear the queue") {
    const unsigned seed = fresh_seed();
    Opened fake;
    const Queue queue = fake.device.create_queue();
    std::atomic<int> wrong = 0, failed = 0;
    on_threads(seed, [&](int t, std::mt19937& random) {
        const Buffer mine = fake.device.allocate(4);
        for (int i = 0; i < 2 * per_thread; ++i) {
            const int value = t * 1000 + i;
            try {
                if (random() % 8 == 0)
                    fake.plan->fail_next(ErrorCode::unsupported, static_cast<int>(random() % 4));
                if (random() % 4 == 0)
                    queue.wait();
                int got = -1;
                queue.read(&got, mine, 0, 4);
                if (got == -1) // memory is 0xcdcdcdcd or a value
                    ++wrong;
                queue.write(mine, 0, &value, 4);
            } catch (const Error&) {
                ++failed;
            }
        }
    });
    try {
        queue.wait();
    } catch (const Error&) {
        ++failed;
    }
    CHECK(wrong == 0);
    CHECK(failed > 0);
    CHECK(fake.plan->crowded == 0);
    {
        const std::lock_guard lock(fake.plan->mutex);
        fake.plan->failure = nullptr;
    }
}

TEST_CASE("handles are dropped by one thread while another one's commands wait for them") {
    Opened slow("fake:0"), fast("fake:1");
    std::atomic<int> ran = 0;
    on_threads(3, [&](int, std::mt19937&) {
        for (int i = 0; i < 100; ++i) {
            Event event;
            {
                const Queue first = slow.device.create_queue();
                first.launch(slow.task([&] { ++ran; }), 1);
                event = first.record();
            }
            const Queue second = fast.device.create_queue();
            second.wait_for(event);
            event = {};
            second.launch(fast.task([&] { ++ran; }), 1);
        }
    });
    CHECK(ran == threads * 200);
}
