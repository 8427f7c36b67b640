// A user's kernels on the cpu device, from text to results: the whole way through library, front end and host compiler.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

using namespace devq;

namespace {

const Device& device() {
    static const Device opened = open_device("cpu:0");
    return opened;
}

Buffer buffer_of(const Queue& queue, const std::vector<float>& values) {
    const Buffer buffer = device().allocate(values.size() * 4);
    queue.write(buffer, std::span(values));
    return buffer;
}

std::vector<float> values_of(const Queue& queue, const Buffer& buffer) {
    std::vector<float> values(buffer.size() / 4);
    queue.read(std::span(values), buffer);
    return values;
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(count);
    for (float& value : values)
        value = uniform(random);
    return values;
}

std::string message_of(const std::string& source) {
    try {
        BuildOptions options;
        options.file_name = "mine.cl";
        device().build(source, options);
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::build_failed);
        return error.what();
    }
    return "it compiles";
}

} // namespace

TEST_CASE("a kernel without barriers, any group size") {
    const Kernel saxpy = device()
                             .build(R"(
        kernel void saxpy(global float* y, global const float* x, float a, int n) {
            int i = get_global_id(0);
            if (i < n)
                y[i] = a * x[i] + y[i];
        })")
                             .kernel("saxpy");
    const Queue queue = device().create_queue();
    const int n = 100'000;
    const auto x = random_values(n, 1), y = random_values(n, 2);
    const Buffer dx = buffer_of(queue, x);
    for (std::size_t group : {0, 1, 32, 1024}) {
        CAPTURE(group);
        const Buffer dy = buffer_of(queue, y);
        const std::size_t global = (n + 1023) / 1024 * 1024;
        queue.launch(saxpy, group == 0 ? Range(global) : Range(global).grouped(group), dy, dx, 2.5f, n);
        const auto back = values_of(queue, dy);
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i)
            worst = std::max(worst, std::abs(double(back[i]) - (2.5 * x[i] + y[i])));
        CHECK(worst < 1e-6);
    }
}

TEST_CASE("a tiled matrix product with barriers and local memory") {
    const Kernel product = device()
                               .build(R"(
        #define TILE 16
        kernel void product(global float* c, global const float* a, global const float* b, int n) {
            local float left[TILE][TILE], right[TILE][TILE];
            const int x = get_local_id(0), y = get_local_id(1);
            const int column = get_global_id(0), row = get_global_id(1);
            float sum = 0;
            for (int tile = 0; tile < n / TILE; ++tile) {
                left[y][x] = a[row * n + tile * TILE + x];
                right[y][x] = b[(tile * TILE + y) * n + column];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = 0; k < TILE; ++k)
                    sum += left[y][k] * right[k][x];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            c[row * n + column] = sum;
        })")
                               .kernel("product");
    const Queue queue = device().create_queue();
    const int n = 96;
    const auto a = random_values(n * n, 3), b = random_values(n * n, 4);
    const Buffer da = buffer_of(queue, a), db = buffer_of(queue, b), dc = device().allocate(n * n * 4);
    queue.launch(product, Range(n, n).grouped(16, 16), dc, da, db, n);
    const auto c = values_of(queue, dc);
    double worst = 0;
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += double(a[row * n + k]) * b[k * n + column];
            worst = std::max(worst, std::abs(sum - c[row * n + column]));
        }
    CHECK(worst < 1e-4);
}

TEST_CASE("a group's sum in local memory that the caller gives") {
    const Kernel sums = device()
                            .build(R"(
        kernel void sums(global int* out, global const int* in, local int* part) {
            const int i = get_local_id(0), size = get_local_size(0);
            part[i] = in[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int half = size / 2; half > 0; half /= 2) {
                if (i < half)
                    part[i] += part[i + half];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (i == 0)
                out[get_group_id(0)] = part[0];
        })")
                            .kernel("sums");
    const Queue queue = device().create_queue();
    const std::size_t count = 8192;
    std::vector<int> in(count);
    std::iota(in.begin(), in.end(), 0);
    const Buffer din = device().allocate(count * 4);
    queue.write(din, std::span<const int>(in));
    for (std::size_t size : {1, 4, 64, 512}) {
        CAPTURE(size);
        const Buffer dout = device().allocate(count / size * 4);
        queue.launch(sums, Range(count).grouped(size), dout, din, LocalMemory{size * 4});
        std::vector<int> out(count / size);
        queue.read(std::span(out), dout);
        bool good = true;
        for (std::size_t g = 0; g < out.size(); ++g)
            good = good && out[g] == std::accumulate(in.begin() + static_cast<long>(g * size),
                                                     in.begin() + static_cast<long>((g + 1) * size), 0);
        CHECK(good);
    }
}

TEST_CASE("a divergent barrier is thrown by wait(), and the queue goes on") {
    const Program program = device().build(R"(
        kernel void divergent(global int* out) {
            if (get_local_id(0) < 3)
                barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = 1;
        }
        kernel void plain(global int* out) { out[get_global_id(0)] = 2; })");
    const Queue queue = device().create_queue();
    const Buffer out = device().allocate(64);
    queue.launch(program.kernel("divergent"), Range(16).grouped(8), out);
    CHECK_THROWS_WITH_AS(queue.wait(), doctest::Contains("barrier"), Error);
    queue.launch(program.kernel("plain"), Range(16), out);
    std::vector<int> back(16);
    queue.read(std::span(back), out);
    CHECK(std::count(back.begin(), back.end(), 2) == 16);
}

TEST_CASE("the messages of the host compiler name the user's file and line") {
    // What the front end leaves to the compiler behind it: types inside of expressions.
    const std::string message =
        message_of("kernel void k(global float* p) {\n    float x = 1;\n    p[x] = no_such_name;\n}\n");
    CHECK_MESSAGE(message.find("mine.cl:3:") != std::string::npos, message);
    CHECK_MESSAGE(message.find("no_such_name") != std::string::npos, message);
}

TEST_CASE("the host compiler's messages are in the user's terms") {
    const std::string message = message_of("struct s { float x; };\n"
                                           "kernel void k(global float4* p, struct s v) {\n    p[0] = v;\n}\n");
    CHECK_MESSAGE(message.find("mine.cl:3:") != std::string::npos, message);
    CHECK_MESSAGE(message.find("float4") != std::string::npos, message);
    for (const char* internal : {"vec<", "devq_code", "host_vector.hpp", "devq_item"})
        CHECK_MESSAGE(message.find(internal) == std::string::npos, message);
}

TEST_CASE("a message of the front end says once what failed") {
    const std::string message = message_of("kernel void k(global float* p) { p[0] = q; }");
    CHECK_MESSAGE(message.find("Device::build: \nmine.cl:1:41: error: 'q' is not declared") == 0, message);
}

TEST_CASE("a division by zero does not end the process") {
    const Kernel divide = device()
                              .build(R"(kernel void divide(global int* p, int zero, int minus) {
        const int i = get_global_id(0);
        p[4 * i] = p[4 * i] / zero; p[4 * i + 1] %= zero; p[4 * i + 2] = p[4 * i + 2] / minus; p[4 * i + 3] %= minus;
    })")
                              .kernel("divide");
    const Queue queue = device().create_queue();
    std::vector<int> values(64, -2147483647 - 1), back(64);
    const Buffer buffer = device().allocate(256);
    queue.write(buffer, std::span<const int>(values));
    queue.launch(divide, Range(16), buffer, 0, -1);
    queue.read(std::span(back), buffer);
    for (std::size_t i = 0; i < 64; ++i)
        CHECK(back[i] == (i % 2 == 0 ? values[0] : 0));
}

TEST_CASE("kernels and names that are words of C++") {
    const Program program = device().build(R"(
        struct template { int new, this; };
        int namespace(int class) { return class + 1; }
        kernel void virtual(global int* delete, int float4) {
            struct template private_ = {namespace(float4), 2};
            delete[get_global_id(0)] = private_.new * private_.this;
        }
        kernel void memcpy(global int* p) { p[0] = 5; })");
    const Queue queue = device().create_queue();
    const Buffer buffer = device().allocate(4);
    std::vector<int> back(1);
    queue.launch(program.kernel("virtual"), Range(1), buffer, 20);
    queue.read(std::span(back), buffer);
    CHECK(back[0] == 42);
    queue.launch(program.kernel("memcpy"), Range(1), buffer);
    queue.read(std::span(back), buffer);
    CHECK(back[0] == 5);
}

TEST_CASE("printf comes to stdout in the order of groups, whichever threads ran them") {
    const Program program = device().build(R"(
        kernel void tell(global int* p) {
            const int i = get_global_id(0);
            for (int k = 0; k < 300; ++k) p[i] += k * i; // long enough to be shared out
            if (i % 8 == 0) printf("%d,", i);
        }
        kernel void phases(global int* p) {
            printf("a");
            barrier(CLK_LOCAL_MEM_FENCE);
            printf("b");
        })");
    const Queue queue = device().create_queue();
    const std::size_t count = 1 << 15;
    const Buffer buffer = device().allocate(count * 4);
    queue.write(buffer, std::span<const int>(std::vector<int>(count)));
    std::fflush(stdout);
    const int saved = dup(1);
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    REQUIRE(dup2(fileno(file), 1) == 1);
    queue.launch(program.kernel("tell"), Range(count).grouped(16), buffer);
    queue.launch(program.kernel("phases"), Range(8).grouped(4), buffer);
    queue.wait();
    dup2(saved, 1);
    close(saved);
    std::string printed(static_cast<std::size_t>(lseek(fileno(file), 0, SEEK_END)), ' ');
    REQUIRE(pread(fileno(file), printed.data(), printed.size(), 0) == static_cast<ssize_t>(printed.size()));
    std::fclose(file);
    std::string expected;
    for (std::size_t i = 0; i < count; i += 8)
        expected += std::to_string(i) + ",";
    CHECK(printed == expected + "aaaabbbbaaaabbbb");
}

TEST_CASE("without a compiler, a user's kernel is an error with both remedies and devq's own kernels run") {
    const char* path = std::getenv("PATH");
    const std::string before = path ? path : "";
    setenv("PATH", "/nonexistent", 1);
    const std::string message = message_of("kernel void never_built_before(global int* p) { p[0] = 7; }");
    const Queue queue = device().create_queue();
    const Tensor numbers(device(), DType::f32, {4});
    ops::fill(queue, numbers, 3.0);
    const auto back = values_of(queue, numbers.buffer());
    setenv("PATH", before.c_str(), 1);
    CHECK(message.find("Install a C++ compiler") != std::string::npos);
    CHECK(message.find("use a device that compiles") != std::string::npos);
    CHECK(back == std::vector<float>(4, 3.0f));
}
