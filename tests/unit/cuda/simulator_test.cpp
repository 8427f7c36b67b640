// What the stand-in finds in kernels that do wrong: its words are part of how the backend is tested.
#include "../devices/support.hpp"
#include "frontend/frontend.hpp"
#include "support.hpp"

using namespace devq;
using namespace devq::cuda_test;

namespace {

constexpr const char* faulty = R"(
kernel void stray(global int* out, int n) {
    out[get_global_id(0) * n] = 1;
}
kernel void askew(global char* out) {
    *(global int*)(out + 2) = 1;
}
kernel void apart(global int* out, local int* tmp) {
    int i = get_local_id(0);
    tmp[i] = i;
    if (i < 7) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = tmp[i + 1];
    } else {
        out[i] = 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] += tmp[0];
    }
}
)";

void run(const char* name) {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Kernel kernel = device.build(faulty).kernel(name);
    const Buffer out = device.allocate(256);
    const std::string what = name;
    if (what == "stray")
        queue.launch(kernel, Range(64).grouped(64), out, 2);
    else if (what == "askew")
        queue.launch(kernel, Range(1), out);
    else
        queue.launch(kernel, Range(64).grouped(64), out, LocalMemory{256});
    error_text(ErrorCode::device_lost, [&] { queue.wait(); });
}

void check(const std::string& name, const std::string& words) {
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: kernel " + name}, {});
    CHECK_MESSAGE(child.status == 0, child.out);
    CHECK_MESSAGE(holds(child.err, "simulator: kernel " + frontend::cuda_entry_name(name) + ", thread ("), child.err);
    CHECK_MESSAGE(holds(child.err, "PTX line "), child.err);
    CHECK_MESSAGE(holds(child.err, words), child.err);
}

} // namespace

TEST_CASE("child: kernel stray" * doctest::skip()) { run("stray"); }
TEST_CASE("child: kernel askew" * doctest::skip()) { run("askew"); }
TEST_CASE("child: kernel apart" * doctest::skip()) { run("apart"); }

TEST_CASE("the simulator finds a stray write, an address that is not aligned, and threads at different barriers") {
    if (!have_compiler())
        return;
    check("stray", "thread (32,0,0) of block (0,0,0)"); // the first whose place is beyond 256 bytes
    check("stray", "4 bytes at global address");
    check("askew", "which is not aligned");
    check("apart", "the block's threads wait at different barriers");
}

TEST_CASE("the simulator takes words apart, shifts two as one, and rounds sums as it is told") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Kernel kernel = device
                              .build(R"(
kernel void parts(global uint* out, global const uint* in) {
    const uint a = in[0], b = in[1];
    const ushort2 halves = as_ushort2(a);
    out[0] = halves.x;
    out[1] = halves.y;
    out[2] = rotate(a, b & 31u);
    out[3] = (uint)(upsample(a, b) >> 20);
    out[4] = as_uint(convert_float_rtz(a) + 0.0f);
    out[5] = as_uint(convert_float_rtp(a) + 0.0f);
})")
                              .kernel("parts");
    const std::vector<std::uint32_t> in{0x80000401, 12};
    const Buffer from = device.allocate(8), to = device.allocate(24);
    queue.write(from, std::span(in));
    queue.launch(kernel, Range(1), to, from);
    std::vector<std::uint32_t> out(6);
    queue.read(std::span(out), to);
    CHECK(out == std::vector<std::uint32_t>{0x0401, 0x8000, 0x00401800, 0x00401000, 0x4f000004, 0x4f000005});
}
