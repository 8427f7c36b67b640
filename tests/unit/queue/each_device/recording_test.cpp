// Recorded sequences of operations, kernels, copies and fills on every device.
#include "devices.hpp"
#include <devq/recording.hpp>

using namespace devq;
using each_device::read_all;

TEST_CASE("a recorded sequence gives what its commands give, every time") {
    ON_EACH_DEVICE {
        constexpr std::int64_t n = 100;
        const Tensor a(on.device, DType::f32, {n}), b(on.device, DType::f32, {n}), sum(on.device, DType::f32, {});
        const Buffer copy = on.device.allocate(n * 4);
        const std::vector<float> ones(n, 1.0f);
        for (const bool with_write : {false, true}) {
            CAPTURE(with_write);
            ops::fill(queue, a, 0.0);
            const Recording step = record_commands(queue, [&] {
                if (with_write)
                    queue.write(b.buffer(), std::span<const float>(ones));
                else
                    ops::fill(queue, b, 1.0);
                ops::binary(queue, ops::Binary::add, a, a, b);
                queue.copy(copy, 0, a.buffer(), 0, n * 4);
                ops::reduce(queue, ops::Reduction::sum, sum, a, 0);
            });
            CHECK(step.commands() == 4);
            CHECK(read_all<float>(queue, a.buffer()) == std::vector<float>(n, 0.0f));
            for (int round = 1; round <= 5; ++round) {
                step.replay(queue);
                REQUIRE(read_all<float>(queue, copy) == std::vector<float>(n, static_cast<float>(round)));
                REQUIRE(read_all<float>(queue, sum.buffer())[0] == static_cast<float>(round * n));
            }
            const Queue other = on.device.create_queue();
            for (int round = 0; round < 20; ++round)
                step.replay(other);
            CHECK(read_all<float>(other, sum.buffer())[0] == 25.0f * n);
        }
        each_device::check_usable(on, queue);
    }
}
