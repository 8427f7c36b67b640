#include "faults.hpp"
#include "support.hpp"
#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

using namespace devq;
using namespace devq::opencl_test;

namespace {

struct Small {
    char a;
    std::int32_t b;
    float c;
};
struct Large {
    std::int64_t a[12];
    std::int16_t b;
};
struct alignas(16) Float4 {
    float v[4];
};
struct alignas(64) Float16 {
    float v[16];
};

constexpr const char* add_source =
    "kernel void add(global int* x, ulong offset, int by) { x[offset + get_global_id(0)] += by; }";

} // namespace

TEST_CASE("arguments of every size arrive, also when they change from launch to launch") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto gather = kernel(*device, R"(
        typedef struct { char a; int b; float c; } small;
        typedef struct { long a[12]; short b; } large;
        kernel void gather(global float* out, uchar u1, short s2, int i4, ulong u8, float f4, float4 v16, small s,
                           large l, float16 v64) {
            out[0] = u1; out[1] = s2; out[2] = i4; out[3] = (float)(u8 >> 40); out[4] = f4; out[5] = v16.x + v16.w;
            out[6] = s.a + s.b + s.c; out[7] = (float)(l.a[0] + l.a[11] + l.b); out[8] = v64.s0 + v64.sf;
        })",
                               "gather");
    const auto out = device->allocate(9 * sizeof(float));
    for (int round = 0; round < 3; ++round) {
        const float r = static_cast<float>(round);
        Large large{{10 + round}, -3};
        large.a[11] = std::int64_t{1} << 20;
        Float16 wide{};
        wide.v[0] = 1.5f;
        wide.v[15] = r;
        queue->launch(gather, range(1),
                      Arguments()
                          .buffer(out)
                          .value(static_cast<unsigned char>(200 + round))
                          .value<std::int16_t>(-300)
                          .value<std::int32_t>(-70000 - round)
                          .value<std::uint64_t>(std::uint64_t{77} << 40)
                          .value(0.25f)
                          .value(Float4{{1, 0, 0, r}})
                          .value(Small{'\1', 1000, 0.5f})
                          .value(large)
                          .value(wide));
        const std::vector<float> expected{200 + r, -300,    -70000 - r,        77,      0.25f,
                                          1 + r,   1001.5f, (1 << 20) + 7 + r, 1.5f + r};
        CHECK(download<float>(*queue, out, 9) == expected);
    }
}

TEST_CASE("wrong arguments are refused at the call and the queue goes on") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto add = kernel(*device, add_source, "add");
    const auto memory = upload<int>(*device, *queue, {1, 2, 3, 4});
    const std::string text = error_text(ErrorCode::invalid_argument, [&] {
        queue->launch(add, range(4), Arguments().buffer(memory).value<std::uint64_t>(0).value<std::int16_t>(1));
    });
    CHECK(text.find("argument 2") != text.npos);
    error_text(ErrorCode::invalid_argument,
               [&] { queue->launch(add, range(5, 2), Arguments().buffer(memory).value<std::uint64_t>(0).value(1)); });
    queue->launch(add, range(4), Arguments().buffer(memory).value<std::uint64_t>(0).value(10));
    CHECK(download<int>(*queue, memory, 4) == std::vector<int>{11, 12, 13, 14});
}

TEST_CASE("offsets, local memory and three dimensions") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto add = kernel(*device, add_source, "add");
    const auto memory = upload(*device, *queue, std::vector<int>(64, 0));
    queue->launch(add, range(5), Arguments().buffer(memory).value<std::uint64_t>(7).value(3));
    queue->launch(add, range(1), Arguments().buffer(memory).value<std::uint64_t>(63).value(4));
    std::vector<int> expected(64, 0);
    std::fill_n(expected.begin() + 7, 5, 3);
    expected[63] = 4;
    CHECK(download<int>(*queue, memory, 64) == expected);

    const auto turn = kernel(*device, R"(
        kernel void turn(global int* x, local int* s) {
            local int own[4];
            size_t l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
            size_t row = get_global_id(1) + get_global_size(1) * get_global_id(2);
            size_t g = get_global_id(0) + get_global_size(0) * row;
            size_t n = get_local_size(0) * get_local_size(1) * get_local_size(2);
            s[l] = (int)g; own[l & 3] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            x[g] = s[n - 1 - l] + own[l & 3];
        })",
                             "turn");
    CHECK(turn->local_bytes() >= 4 * sizeof(int));
    CHECK(turn->max_group_items() >= 8);
    backend::LaunchRange cube;
    cube.dimensions = 3;
    cube.global = {4, 4, 4};
    cube.local = {2, 2, 2};
    for (const std::size_t bytes : {32u, 64u}) {
        queue->launch(turn, cube, Arguments().buffer(memory).local(bytes));
        const auto got = download<int>(*queue, memory, 64);
        for (int z = 0; z < 4; ++z)
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x)
                    CHECK(got[static_cast<std::size_t>(x + 4 * (y + 4 * z))] == (x ^ 1) + 4 * ((y ^ 1) + 4 * (z ^ 1)));
    }
}

TEST_CASE("an argument that was set before is not taken for another one") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto add = kernel(*device, add_source, "add");
    for (int i = 1; i < 40; ++i) { // drivers give a new buffer the handle of one just let go
        const auto memory = upload<int>(*device, *queue, {i});
        queue->launch(add, range(1), Arguments().buffer(memory).value<std::uint64_t>(0).value(i % 3));
        CHECK(download<int>(*queue, memory, 1) == std::vector<int>{i + i % 3});
    }
}

TEST_CASE("one kernel from eight threads at once, each with its own queue and arguments") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto add = kernel(*device, add_source, "add");
    const int conflicts = kernel_conflicts();
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            try {
                const auto queue = device->create_queue();
                const auto memory = upload(*device, *queue, std::vector<int>(16, 0));
                std::vector<int> expected(16, 0);
                for (int i = 0; i < 200; ++i) {
                    const std::uint64_t offset = static_cast<std::uint64_t>((i + t) % 16);
                    queue->launch(add, range(1), Arguments().buffer(memory).value(offset).value(t + 1));
                    expected[offset] += t + 1;
                }
                right += download<int>(*queue, memory, 16) == expected;
            } catch (const Error&) {
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(right == 8);
    CHECK(kernel_conflicts() == conflicts);
}

TEST_CASE("many queues on one device") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto add = kernel(*device, add_source, "add");
    std::vector<std::unique_ptr<backend::Queue>> queues;
    std::vector<std::shared_ptr<backend::Memory>> memories;
    for (int i = 0; i < 64; ++i) {
        queues.push_back(device->create_queue());
        memories.push_back(upload<int>(*device, *queues.back(), {i}));
    }
    for (int round = 0; round < 5; ++round)
        for (std::size_t i = 0; i < queues.size(); ++i)
            queues[i]->launch(add, range(1), Arguments().buffer(memories[i]).value<std::uint64_t>(0).value(1));
    for (std::size_t i = 0; i < queues.size(); ++i)
        CHECK(download<int>(*queues[i], memories[i], 1) == std::vector<int>{static_cast<int>(i) + 5});
}

TEST_CASE("a thousand launches in order behind one another") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto step =
        kernel(*device, "kernel void advance(global int* x, int by) { x[0] = x[0] * 3 % 1009 + by; }", "advance");
    const auto memory = upload<int>(*device, *queue, {1});
    int expected = 1;
    for (int i = 0; i < 1000; ++i) { // more than the log keeps at first
        queue->launch(step, range(1), Arguments().buffer(memory).value(i));
        expected = expected * 3 % 1009 + i;
    }
    CHECK(download<int>(*queue, memory, 1) == std::vector<int>{expected});
}
