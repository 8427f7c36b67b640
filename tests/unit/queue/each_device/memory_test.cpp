// The cache of memory on every device, by contents: nobody sees what another queue still writes.
#include "devices.hpp"
#include <devq/memory.hpp>

using namespace devq;
using each_device::read_all;

TEST_CASE("memory that buffers give back while queues use it keeps every queue's bytes") {
    ON_EACH_DEVICE {
        const Queue other = on.device.create_queue();
        constexpr std::size_t count = 100000;
        const Buffer results[] = {on.device.allocate(count * 4), on.device.allocate(count * 4)};
        for (unsigned round = 0; round < 50; ++round) {
            CAPTURE(round);
            for (unsigned side = 0; side < 2; ++side) {
                const Queue& mine = side == 0 ? queue : other;
                const Buffer passing = on.device.allocate(count * 4);
                const unsigned value = round * 2 + side;
                mine.fill(passing, 0, count * 4, &value, 4);
                mine.copy(results[side], 0, passing, 0, count * 4);
            }
            if (round % 10 == 9)
                for (unsigned side = 0; side < 2; ++side)
                    REQUIRE(read_all<unsigned>(side == 0 ? queue : other, results[side]) ==
                            std::vector<unsigned>(count, round * 2 + side));
        }
    }
}

TEST_CASE("a loop of short-lived buffers asks the driver once, and all can be given back") {
    ON_EACH_DEVICE {
        queue.wait();
        static_cast<void>(trim_memory(on.device));
        const MemoryStatistics before = memory_statistics(on.device);
        for (int i = 0; i < 20; ++i) {
            const Buffer passing = on.device.allocate(3 << 20);
            queue.fill(passing, 0, passing.size(), &i, 4);
        }
        queue.wait();
        const MemoryStatistics after = memory_statistics(on.device);
        CHECK(after.allocations - before.allocations == 20);
        CHECK(after.from_cache - before.from_cache == 19);
        CHECK(after.in_use == before.in_use);
        CHECK(trim_memory(on.device) >= std::uint64_t{3} << 20);
        set_memory_budget(on.device, after.in_use + (4 << 20));
        CHECK(each_device::code_of([&] { static_cast<void>(on.device.allocate(5 << 20)); }) ==
              ErrorCode::out_of_memory);
        CHECK(on.device.allocate(2 << 20).size() == 2 << 20);
        set_memory_budget(on.device, 0);
        CHECK(on.device.allocate(5 << 20).size() == 5 << 20);
    }
}
