// The pool between buffers and a device's memory: what is kept, cut up, merged, ordered between queues, and refused.
#include "../../seed.hpp"
#include "fake_backend.hpp"
#include "memory_pool.hpp"
#include "sharing.hpp"
#include <chrono>
#include <cstdlib>
#include <devq/memory.hpp>
#include <doctest/doctest.h>
#include <future>
#include <random>

using namespace devq;
using fake::Opened;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// What is counted and held here depends on them: whoever runs the tests may have set them.
[[maybe_unused]] const bool plain = [] {
    for (const char* name : {"DEVQ_MEMORY_LIMIT", "DEVQ_MEMORY_CACHE", "DEVQ_MEMORY_POISON"})
        unsetenv(name);
    return true;
}();

/// One whose memory can be used in parts.
struct Splitting : Opened {
    Splitting() { native->splits = true; }
};

const std::byte* place(const Buffer& buffer) { return static_cast<fake::Memory&>(*buffer.state()->memory).data.data(); }

/// A launch that uses `buffer`, holds its queue until release(), then fills the buffer with `value`.
class Slow {
public:
    Slow(const Opened& fake, const Queue& queue, const Buffer& buffer, std::byte value) {
        frontend::KernelSignature signature;
        signature.name = "slow";
        signature.parameters.push_back(fake::pointer("out"));
        const auto kernel = fake.kernel(signature, [gate = gate_.get_future().share(), value](const fake::Call& call) {
            gate.wait();
            const auto data = static_cast<fake::Memory&>(*call.memory[0]).data;
            std::fill(data.begin(), data.end(), value);
        });
        queue.launch(kernel, 1, buffer);
    }
    void release() { gate_.set_value(); }

private:
    std::promise<void> gate_;
};

void fill(const Queue& queue, const Buffer& buffer, int value) {
    const auto byte = static_cast<unsigned char>(value);
    queue.fill(buffer, 0, buffer.size(), &byte, 1);
}

bool holds_only(const Queue& queue, const Buffer& buffer, int value) {
    std::vector<unsigned char> bytes(buffer.size());
    queue.read(bytes.data(), buffer, 0, bytes.size());
    return std::all_of(bytes.begin(), bytes.end(), [&](unsigned char byte) { return byte == value; });
}

bool stays_undone(const Event& event) {
    for (int i = 0; i < 20; ++i) {
        if (event.done())
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

} // namespace

TEST_CASE("memory: what a buffer gives back serves the next one, and the driver is not asked") {
    Opened fake;
    { const Buffer first = fake.device.allocate(1000); }
    const MemoryStatistics between = memory_statistics(fake.device);
    CHECK(between.in_use == 0);
    CHECK(between.requested == 0);
    CHECK(between.cached == 1024);
    CHECK(between.peak == 1024);
    const Buffer second = fake.device.allocate(900);
    CHECK(fake.plan->allocations == 1);
    const MemoryStatistics now = memory_statistics(fake.device);
    CHECK(now.in_use == 1024);
    CHECK(now.requested == 900);
    CHECK(now.cached == 0);
    CHECK(now.allocations == 2);
    CHECK(now.from_cache == 1);
    const Buffer third = fake.device.allocate(900);
    CHECK(fake.plan->allocations == 2);
    CHECK(memory_statistics(fake.device).peak == 2048);
}

TEST_CASE("memory: without parts, a block goes only to requests of which it is little larger") {
    Opened fake;
    { const Buffer large = fake.device.allocate(8 * mebi); }
    const Buffer small = fake.device.allocate(5 * mebi);
    CHECK(fake.plan->allocations == 2);
    const Buffer fitting = fake.device.allocate(7 * mebi);
    CHECK(fake.plan->allocations == 2);
}

TEST_CASE("memory: small requests share a chunk, in aligned blocks that merge again") {
    Splitting fake;
    std::vector<Buffer> buffers;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (std::size_t i = 1; i <= 60; ++i)
        buffers.push_back(fake.device.allocate(i * 500));
    CHECK(fake.plan->allocations == 1);
    const std::byte* const first = place(buffers.front());
    for (const Buffer& buffer : buffers) {
        const auto begin = static_cast<std::size_t>(place(buffer) - first);
        CHECK(begin % 512 == 0);
        ranges.emplace_back(begin, begin + buffer.size());
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i)
        CHECK(ranges[i - 1].second <= ranges[i].first);
    std::mt19937_64 random(tests::fresh_seed("merge"));
    std::shuffle(buffers.begin(), buffers.end(), random);
    buffers.clear();
    CHECK(memory_statistics(fake.device).cached == 2 * mebi);
    const Buffer large = fake.device.allocate(mebi); // only in one piece
    CHECK(fake.plan->allocations == 1);
    CHECK(memory_statistics(fake.device).cached == mebi);
}

TEST_CASE("memory: large blocks are cut for large requests, and never for small ones") {
    Splitting fake;
    { const Buffer whole = fake.device.allocate(16 * mebi); }
    const Buffer small = fake.device.allocate(100);
    CHECK(fake.plan->allocations == 2);
    std::vector<Buffer> parts;
    for (int i = 0; i < 3; ++i)
        parts.push_back(fake.device.allocate(5 * mebi));
    CHECK(fake.plan->allocations == 2);
    parts.clear();
    const Buffer again = fake.device.allocate(16 * mebi);
    CHECK(fake.plan->allocations == 2);
}

TEST_CASE("memory: a buffer in use goes without waiting, and its queue may use the memory at once") {
    for (const bool splits : {false, true}) {
        CAPTURE(splits);
        Opened fake;
        fake.native->splits = splits;
        const Queue queue = fake.device.create_queue();
        auto first = std::make_unique<Buffer>(fake.device.allocate(600));
        const std::byte* const where = place(*first);
        Slow slow(fake, queue, *first, std::byte{1});
        first.reset(); // would hang if it waited
        const Buffer second = fake.device.allocate(600);
        CHECK(place(second) == where);
        fill(queue, second, 2);
        slow.release();
        CHECK(holds_only(queue, second, 2));
    }
}

TEST_CASE("memory: what another queue still uses is left alone while the driver gives more") {
    Opened fake;
    const Queue busy = fake.device.create_queue(), other = fake.device.create_queue();
    const Buffer mine = fake.device.allocate(2000);
    auto first = std::make_unique<Buffer>(fake.device.allocate(600));
    const std::byte* const where = place(*first);
    Slow slow(fake, busy, *first, std::byte{1});
    first.reset();
    fill(other, mine, 3); // this thread is at work on `other` now
    Buffer second = fake.device.allocate(600);
    CHECK(place(second) != where);
    slow.release();
    busy.wait();
    second = {};
    const Buffer third = fake.device.allocate(600), fourth = fake.device.allocate(600);
    CHECK((place(third) == where || place(fourth) == where)); // known to be done
    CHECK(fake.plan->allocations == 3);
}

TEST_CASE("memory: another queue waits for those who had the memory before") {
    for (const bool as_a_whole : {false, true}) {
        CAPTURE(as_a_whole);
        Opened fake;
        fake.native->as_a_whole = as_a_whole;
        const Queue busy = fake.device.create_queue(), other = fake.device.create_queue();
        auto first = std::make_unique<Buffer>(fake.device.allocate(600));
        Slow slow(fake, busy, *first, std::byte{1});
        const std::byte* const where = place(*first);
        first.reset();
        const Buffer second = fake.device.allocate(600);
        REQUIRE(place(second) == where);
        fill(other, second, 2);
        const Event end = other.record();
        CHECK(stays_undone(end));
        slow.release();
        CHECK(holds_only(other, second, 2));
        CHECK(holds_only(busy, second, 2));
    }
}

TEST_CASE("memory: the failure of those who had the memory before is not passed on") {
    Opened fake;
    const Queue failing = fake.device.create_queue(), other = fake.device.create_queue();
    auto first = std::make_unique<Buffer>(fake.device.allocate(600));
    fake.plan->gate.close();
    fake.plan->fail_next(ErrorCode::unsupported);
    fill(failing, *first, 1);
    first.reset();
    const Buffer second = fake.device.allocate(600);
    CHECK(fake.plan->allocations == 1);
    fill(other, second, 2);
    fake.plan->gate.open();
    CHECK(holds_only(other, second, 2));
    CHECK_NOTHROW(other.wait());
    CHECK(fake::code_of([&] { failing.wait(); }) == ErrorCode::unsupported);
}

TEST_CASE("memory: a queue that dropped its commands is waited for to its last command that runs") {
    Opened fake, elsewhere("fake:1");
    const Queue busy = fake.device.create_queue(), other = fake.device.create_queue(),
                far = elsewhere.device.create_queue();
    elsewhere.plan->fail_next(ErrorCode::unsupported);
    far.launch(elsewhere.task([] {}), 1);
    const Event failed = far.record();
    CHECK(fake::code_of([&] { failed.wait(); }) == ErrorCode::unsupported);
    auto first = std::make_unique<Buffer>(fake.device.allocate(600));
    Slow slow(fake, busy, *first, std::byte{1});
    busy.wait_for(failed); // from here on `busy` drops what it is asked for
    first.reset();
    const Buffer second = fake.device.allocate(600);
    CHECK(fake.plan->allocations == 1);
    fill(other, second, 2);
    CHECK(stays_undone(other.record()));
    slow.release();
    CHECK(holds_only(other, second, 2));
    CHECK(fake::code_of([&] { busy.wait(); }) == ErrorCode::unsupported);
    CHECK(fake::code_of([&] { far.wait(); }) == ErrorCode::unsupported);
}

TEST_CASE("memory: copies between devices count as uses on both sides") {
    Opened a("fake:0"), b("fake:1");
    const Queue queue = a.device.create_queue(), there = b.device.create_queue();
    const Buffer source = a.device.allocate(600);
    auto target = std::make_unique<Buffer>(b.device.allocate(600));
    const std::byte* const where = place(*target);
    Slow slow(a, queue, source, std::byte{1});
    queue.copy(*target, 0, source, 0, 600);
    target.reset();
    const Buffer next = b.device.allocate(600);
    if (place(next) == where) {
        fill(there, next, 2);
        CHECK(stays_undone(there.record()));
    } else {
        fill(there, next, 2);
    }
    slow.release();
    queue.wait();
    CHECK(holds_only(there, next, 2));
}

TEST_CASE("memory: the budget holds, counts what is cached, and says so") {
    Opened fake;
    set_memory_budget(fake.device, 10000);
    Buffer first = fake.device.allocate(6000);
    const std::string said = fake::message_of([&] { static_cast<void>(fake.device.allocate(5000)); });
    CHECK(said == "Device::allocate: requested 5000 bytes, beyond the budget; devq's buffers have 6144 bytes, 0 are "
                  "cached, the budget is 10000. Free buffers, use smaller ones, split the work, or raise the budget "
                  "(DEVQ_MEMORY_LIMIT, set_memory_budget).");
    CHECK(fake::code_of([&] { static_cast<void>(fake.device.allocate(5000)); }) == ErrorCode::out_of_memory);
    CHECK(memory_statistics(fake.device).in_use == 6144);
    first = {}; // cached, and in the way
    const Buffer second = fake.device.allocate(9000);
    CHECK(fake.plan->given == 9216);
    set_memory_budget(fake.device, 0);
    CHECK(fake.device.allocate(5000).size() == 5000);
    CHECK(memory_statistics(fake.device).budget == 0);
}

TEST_CASE("memory: rounding up is left out where only the size itself is there") {
    Splitting fake;
    fake.plan->memory_total = 700;
    const Buffer buffer = fake.device.allocate(700);
    CHECK(fake.plan->given == 700);
    const std::string said = fake::message_of([&] { static_cast<void>(fake.device.allocate(1)); });
    CHECK(said == "Device::allocate: requested 1 bytes: planned out of memory; devq's buffers have 700 bytes, 0 are "
                  "cached, the budget is not bounded (fakeAllocate returned 7). This is a test.");
}

TEST_CASE("memory: an allocation that fails once is tried again, after the cache has gone") {
    Opened fake;
    { const Buffer cached = fake.device.allocate(100000); }
    fake.plan->refuse_allocations = 1;
    const Buffer buffer = fake.device.allocate(500);
    CHECK(fake.plan->given == 512);
    CHECK(memory_statistics(fake.device).cached == 0);
    fake.plan->refuse_allocations = 1000;
    CHECK(fake::code_of([&] { static_cast<void>(fake.device.allocate(500)); }) == ErrorCode::out_of_memory);
    fake.plan->refuse_allocations = 0;
    CHECK(memory_statistics(fake.device).in_use == 512);
    CHECK(fake.device.allocate(500).size() == 500);
}

TEST_CASE("memory: where the driver has no more, what another queue still uses is shared out, and waited for") {
    Opened fake;
    fake.plan->memory_total = 4096;
    const Queue busy = fake.device.create_queue(), other = fake.device.create_queue();
    const Buffer mine = fake.device.allocate(2048);
    auto first = std::make_unique<Buffer>(fake.device.allocate(2048));
    Slow slow(fake, busy, *first, std::byte{1});
    first.reset();
    fill(other, mine, 3);
    const Buffer second = fake.device.allocate(2048);
    fill(other, second, 2);
    CHECK(stays_undone(other.record()));
    slow.release();
    CHECK(holds_only(other, second, 2));
}

TEST_CASE("memory: trimming gives all that is free back, after its last use") {
    Splitting fake;
    const Queue queue = fake.device.create_queue();
    const Buffer kept = fake.device.allocate(1000);
    Buffer other = fake.device.allocate(3 * mebi);
    Slow slow(fake, queue, other, std::byte{1});
    other = {};
    auto trimmed = std::async(std::launch::async, [&] { return trim_memory(fake.device); });
    CHECK(trimmed.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    slow.release();
    CHECK(trimmed.get() == 3 * mebi);
    CHECK(fake.plan->given == 2 * mebi);
    const MemoryStatistics now = memory_statistics(fake.device);
    CHECK(now.in_use == 1024);
    CHECK(now.cached == 2 * mebi - 1024);
    CHECK(now.peak == 3 * mebi + 1024);
    reset_memory_peak(fake.device);
    CHECK(memory_statistics(fake.device).peak == 1024);
    CHECK(trim_memory(fake.device) == 0);
}

TEST_CASE("memory: beyond its limit the cache keeps nothing") {
    Opened fake;
    fake.device.state()->pool->set_cache_limit(5000);
    { const Buffer small = fake.device.allocate(4096); }
    { const Buffer large = fake.device.allocate(8192); }
    CHECK(fake.plan->given == 4096);
}

TEST_CASE("memory: without a cache every buffer is just its own block") {
    Splitting fake;
    fake.device.state()->pool->set_caching(false);
    {
        const Buffer buffer = fake.device.allocate(100), another = fake.device.allocate(100);
        CHECK(fake.plan->given == 200);
    }
    CHECK(fake.plan->given == 0);
    CHECK(memory_statistics(fake.device).from_cache == 0);
}

TEST_CASE("memory: a block whose native handle was given away is not used again") {
    for (const bool splits : {false, true}) {
        CAPTURE(splits);
        Opened fake;
        fake.native->splits = splits;
        const detail::Sharing sharing{"fake", "test"};
        const Queue queue = fake.device.create_queue();
        Buffer lent = fake.device.allocate(600), neighbour = fake.device.allocate(600);
        CHECK(sharing.memory(lent) == reinterpret_cast<backend::NativeHandle>(place(lent)));
        const std::byte* const where = place(lent);
        lent = {};
        std::vector<Buffer> others;
        for (int i = 0; i < 10; ++i) {
            others.push_back(fake.device.allocate(600));
            if (splits) // elsewhere its place is the system's to give away again
                CHECK(place(others.back()) != where);
        }
        others.clear();
        neighbour = {};
        CHECK(fake.plan->given == (splits ? 0 : memory_statistics(fake.device).cached));
    }
}

TEST_CASE("memory: whoever is given a handle finds the memory idle") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    Buffer buffer = fake.device.allocate(600);
    Slow slow(fake, queue, buffer, std::byte{1});
    buffer = {};
    const Buffer next = fake.device.allocate(600);
    CHECK(fake.plan->allocations == 1);
    auto handle = std::async(std::launch::async, [&] { return detail::Sharing{"fake", "test"}.memory(next); });
    CHECK(handle.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    slow.release();
    CHECK(handle.get() != 0);
}

TEST_CASE("memory: a buffer may be as large as one allocation, however sizes are rounded") {
    for (const bool splits : {false, true})
        for (const std::size_t most : {3 * mebi + 1, mebi + 100, std::size_t{5000}, std::size_t{700}}) {
            CAPTURE(splits);
            CAPTURE(most);
            Opened fake;
            fake.native->splits = splits;
            fake.native->capabilities_.max_allocation_bytes = most;
            for (const std::size_t bytes : {most, most - 1, most - most / 9})
                CHECK(fake.device.allocate(bytes).size() == bytes);
            CHECK(fake::code_of([&] { static_cast<void>(fake.device.allocate(most + 1)); }) ==
                  ErrorCode::invalid_argument);
            const Queue queue = fake.device.create_queue();
            const Buffer whole = fake.device.allocate(most);
            fill(queue, whole, 3);
            CHECK(holds_only(queue, whole, 3));
        }
}

TEST_CASE("memory: sizes as DEVQ_MEMORY_LIMIT has them") {
    using detail::memory_size_in;
    CHECK(memory_size_in("4096") == 4096);
    CHECK(memory_size_in("3K") == 3072);
    CHECK(memory_size_in("512M") == 512 * mebi);
    CHECK(memory_size_in("2G") == 2048 * mebi);
    CHECK(memory_size_in("1T") == mebi * mebi);
    for (const char* wrong : {"", "0", "M", "5 M", "5m", "5MB", "-1", "0x10", "18446744073709551616", "16777216T"})
        CHECK_MESSAGE(memory_size_in(wrong) == 0, wrong);
}

TEST_CASE("memory: threads and queues take and give back without ever seeing one another's bytes") {
    for (const bool splits : {false, true}) {
        CAPTURE(splits);
        Opened fake;
        fake.native->splits = splits;
        set_memory_budget(fake.device, 6 * mebi); // so that blocks in use are taken over, too
        const Queue shared[] = {fake.device.create_queue(), fake.device.create_queue(), fake.device.create_queue()};
        const auto seed = static_cast<unsigned>(tests::fresh_seed("memory"));
        std::atomic<int> wrong = 0, full = 0;
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(seed + t);
                for (int i = 0; i < 150; ++i) {
                    const Queue& queue = shared[random() % 3];
                    const std::size_t bytes = random() % 8 == 0 ? mebi + random() % mebi : 1 + random() % 20000;
                    try {
                        const Buffer buffer = fake.device.allocate(bytes);
                        const int value = static_cast<int>(random() % 256);
                        fill(queue, buffer, value);
                        if (random() % 2 == 0) {
                            const Queue& second = shared[random() % 3];
                            second.wait_for(queue.record());
                            wrong += !holds_only(second, buffer, value);
                        }
                    } catch (const Error& error) {
                        ++(error.code() == ErrorCode::out_of_memory ? full : wrong);
                    }
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        for (const Queue& queue : shared)
            CHECK_NOTHROW(queue.wait());
        CHECK(wrong == 0);
        CHECK(full < 300);
        CHECK(memory_statistics(fake.device).in_use == 0);
        static_cast<void>(trim_memory(fake.device));
        CHECK(fake.plan->given == 0);
    }
}
