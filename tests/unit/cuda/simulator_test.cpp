// What the stand-in finds in kernels that do wrong: its words are part of how the backend is tested.
#include "../devices/support.hpp"
#include "abi.hpp"
#include "frontend/frontend.hpp"
#include "support.hpp"
#include <array>
#include <dlfcn.h>

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
kernel void hasty(global int* out, local int* tmp) {
    int i = get_local_id(0);
    tmp[i] = i;
    out[i] = tmp[(i + 1) % 64];
}
kernel void early(global int* out, local int* tmp) {
    int i = get_local_id(0);
    tmp[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tmp[63 - i];
    tmp[i] = -i;
}
kernel void crowded(global int* out, local int* tmp) {
    tmp[0] = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = tmp[0];
}
kernel void mixed(global int* out, local int* tmp) {
    if (get_local_id(0) == 40)
        tmp[0] = 0;
    atomic_inc(&tmp[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = tmp[0];
}
kernel void unread(global int* out) {
    out[32] = out[get_global_id(0)];
}
kernel void orderly(global int* out, local int* tmp) {
    int i = get_local_id(0);
    local char* bytes = (local char*)tmp;
    tmp[1] = 7; // all the same
    barrier(CLK_LOCAL_MEM_FENCE);
    int seen = tmp[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        tmp[0] = 0;
    bytes[64 + i] = (char)i; // neighbours in one word
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&tmp[0]);
    bytes[64 + i] += (char)1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = seen + tmp[0] + bytes[64 + 63 - i];
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
    else if (what == "unread") {
        queue.write(out, std::span<const int>(std::vector<int>(20, 1)));
        queue.launch(kernel, Range(32), out);
    } else if (what == "askew")
        queue.launch(kernel, Range(1), out);
    else
        queue.launch(kernel, Range(64).grouped(64), out, LocalMemory{256});
    error_text(ErrorCode::device_lost, [&] { queue.wait(); });
}

void check(const std::string& name, const std::string& words) {
    const support::Result child = support::run({"/proc/self/exe", "--no-skip", "--test-case=child: kernel " + name},
                                               {{"DEVQ_MEMORY_CACHE", "0"}, // blocks of just the buffers' size
                                                {"VIRTUAL_CUDA_CHECK_READS", "1"}});
    CHECK_MESSAGE(child.status == 0, child.out);
    CHECK_MESSAGE(holds(child.err, "simulator: kernel " + frontend::cuda_entry_name(name) + ", thread ("), child.err);
    CHECK_MESSAGE(holds(child.err, "PTX line "), child.err);
    CHECK_MESSAGE(holds(child.err, words), child.err);
}

} // namespace

TEST_CASE("child: kernel stray" * doctest::skip()) { run("stray"); }
TEST_CASE("child: kernel askew" * doctest::skip()) { run("askew"); }
TEST_CASE("child: kernel apart" * doctest::skip()) { run("apart"); }
TEST_CASE("child: kernel hasty" * doctest::skip()) { run("hasty"); }
TEST_CASE("child: kernel early" * doctest::skip()) { run("early"); }
TEST_CASE("child: kernel crowded" * doctest::skip()) { run("crowded"); }
TEST_CASE("child: kernel mixed" * doctest::skip()) { run("mixed"); }
TEST_CASE("child: kernel unread" * doctest::skip()) { run("unread"); }

TEST_CASE("the simulator finds a stray write, an address that is not aligned, and threads at different barriers") {
    if (!have_compiler())
        return;
    check("stray", "thread (32,0,0) of block (0,0,0)"); // the first whose place is beyond 256 bytes
    check("stray", "4 bytes at global address");
    check("askew", "which is not aligned");
    check("apart", "the block's threads wait at different barriers");
}

TEST_CASE("the simulator finds races for shared memory, and reads of what nobody has written") {
    if (!have_compiler())
        return;
    check("hasty", "a race: it ");
    check("early", "a race: it ");
    check("crowded", "a race: it writes shared address 0x0, which thread (0,0,0) has written since the last barrier");
    check("mixed", "a race: it ");
    check("unread", "4 bytes at global address");
    check("unread", "which nobody has written");
    check("unread", "thread (20,0,0)");
}

TEST_CASE("the simulator passes what only looks like a race") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer out = device.allocate(256);
    queue.launch(device.build(faulty).kernel("orderly"), Range(64).grouped(64), out, LocalMemory{256});
    std::vector<int> got(64);
    queue.read(std::span(got), out);
    for (int i = 0; i < 64; ++i)
        CHECK(got[static_cast<std::size_t>(i)] == 7 + 64 + 64 - i);
}

TEST_CASE("the simulator's device of 8.0 takes only machine code that fits, and refuses to launch it") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:1");
    const Queue queue = device.create_queue();
    const Kernel kernel = device.build("kernel void one(global int* out) { out[0] = 1; }").kernel("one");
    const Buffer out = device.allocate(4);
    CHECK(holds(error_text(ErrorCode::unsupported, [&] { queue.launch(kernel, 1, out); }), "cuLaunchKernel"));
    queue.wait();
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto retain = reinterpret_cast<int (*)(cuda::abi::Context*, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
    const auto release = reinterpret_cast<int (*)(int)>(dlsym(driver, "cuDevicePrimaryCtxRelease_v2"));
    const auto enter = reinterpret_cast<int (*)(cuda::abi::Context)>(dlsym(driver, "cuCtxSetCurrent"));
    const auto load = reinterpret_cast<int (*)(cuda::abi::Module*, const void*, unsigned, int*, void**)>(
        dlsym(driver, "cuModuleLoadDataEx"));
    cuda::abi::Context context = nullptr;
    cuda::abi::Module module = nullptr;
    REQUIRE(retain(&context, 1) == 0);
    REQUIRE(enter(context) == 0);
    CHECK(load(&module, ".version 7.0\n.target sm_75\n.address_size 64\n", 0, nullptr, nullptr) == 209);
    std::array<unsigned char, 64> elf{0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33};
    elf[18] = 190; // EM_CUDA
    elf[48] = 75;  // the architecture
    CHECK(load(&module, elf.data(), 0, nullptr, nullptr) == 209);
    elf[18] = 62; // EM_X86_64
    CHECK(load(&module, elf.data(), 0, nullptr, nullptr) == 200);
    CHECK(release(1) == 0);
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
