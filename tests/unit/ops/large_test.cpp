// Inner axes of more than 2^31 elements that are not neighbours: the real kernels on cpu:0, told to do only the first
// unit of such an axis, so that no test needs the memory of all of it.
#include "builtin.hpp"
#include "ops/launch.hpp"
#include <algorithm>
#include <devq/device.hpp>
#include <doctest/doctest.h>
#include <vector>

using namespace devq;
using namespace devq::detail;

namespace {

/// struct elementwise_shape of kernels/prelude/units.cl
struct ElementwiseShape {
    std::array<std::int64_t, max_rank> sizes, out_strides, a_strides, b_strides;
    std::int64_t inner, out_inner, a_inner, b_inner, outer, units, units_per_group;
    std::int32_t rank, op, down, bytes;
    float p0, p1;
};

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 1000;

} // namespace

TEST_CASE("elementwise: the first elements of a strided axis that is longer than an int can say") {
    const Device device = open_device("cpu:0");
    const Queue queue = device.create_queue();
    constexpr std::size_t room = 4096;
    std::vector<float> numbers(room), results(room, -1.0f);
    for (std::size_t i = 0; i < room; ++i)
        numbers[i] = static_cast<float>(i);
    const Tensor in(device, DType::f32, {room}), out(device, DType::f32, {room});
    queue.write(in.buffer(), 0, numbers.data(), room * sizeof(float));
    for (const char* const name : {"unary", "binary"}) {
        CAPTURE(name);
        queue.write(out.buffer(), 0, results.data(), room * sizeof(float));
        const OpCall call(queue, name);
        const BuiltinKernel& kernel = builtin_kernel(queue, "elementwise", name, "T=f32");
        ElementwiseShape shape{};
        shape.inner = beyond;
        shape.out_inner = shape.a_inner = shape.b_inner = 2;
        shape.outer = shape.units = shape.units_per_group = 1; // the first unit only
        const Operand target = call.output("out", out), source = call.input("in", in);
        Launch launch(call, kernel);
        launch.view(target).view(source);
        if (std::string_view(name) == "binary")
            launch.view(source);
        launch.value(shape).submit(1, 1); // op 0: copy, add
        std::vector<float> seen(room);
        queue.read(seen.data(), out.buffer(), 0, room * sizeof(float));
        queue.wait();
        const int unit = kernel.vector * kernel.unroll;
        const float times = std::string_view(name) == "binary" ? 2.0f : 1.0f;
        for (std::size_t i = 0; i < room; ++i) {
            const bool written = i % 2 == 0 && i < static_cast<std::size_t>(2 * unit);
            REQUIRE(seen[i] == (written ? times * static_cast<float>(i) : -1.0f));
        }
    }
}
