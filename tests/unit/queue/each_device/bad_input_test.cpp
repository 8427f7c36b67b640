// Whatever a caller gets wrong is a devq::Error with the right code and a sentence that says what to do, on every
// device; nothing is queued, and the queue is usable afterwards.
#include "devices.hpp"
#include <cstdlib>

using namespace each_device;

namespace {

constexpr auto invalid = ErrorCode::invalid_argument;

std::size_t line_of(const std::string& message, const std::string& marker) {
    const std::size_t at = message.find(marker);
    return at == std::string::npos ? 0 : std::strtoul(message.c_str() + at + marker.size(), nullptr, 10);
}

} // namespace

TEST_CASE("bad input: wrong sizes and out-of-range offsets") {
    ON_EACH_DEVICE {
        const Buffer buffer = on.device.allocate(64);
        std::vector<std::byte> host(128);
        CHECK(code_of([&] { queue.write(buffer, 0, host.data(), 65); }) == invalid);
        CHECK(code_of([&] { queue.write(buffer, 65, host.data(), 0); }) == invalid);
        CHECK(code_of([&] { queue.write(buffer, ~std::size_t{0}, host.data(), 64); }) == invalid);
        CHECK(code_of([&] { queue.read(host.data(), buffer, 1, 64); }) == invalid);
        CHECK(code_of([&] { queue.copy(buffer, 32, on.device.allocate(64), 0, 33); }) == invalid);
        CHECK(code_of([&] { queue.fill(buffer, 60, 8, host.data(), 4); }) == invalid);
        CHECK(code_of([&] { queue.fill(buffer, 0, 6, host.data(), 4); }) == invalid);
        CHECK(code_of([&] { queue.fill(buffer, 0, 6, host.data(), 3); }) == invalid);
        CHECK(code_of([&] { queue.write(buffer, 0, nullptr, 1); }) == invalid);
        CHECK(code_of([&] { TensorView(buffer, DType::f32, {17}); }) == invalid);
        CHECK(code_of([&] { TensorView(buffer, DType::f32, {1}, 16); }) == invalid);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: mismatched sizes and types of an operation") {
    ON_EACH_DEVICE {
        const Tensor a(on.device, DType::f32, {2, 3}), b(on.device, DType::f32, {4, 5}),
            c(on.device, DType::f32, {2, 5}), i(on.device, DType::i32, {3, 5});
        CHECK(code_of([&] { ops::matmul(queue, c, a, b); }) == invalid);
        CHECK_THROWS_AS(ops::matmul(queue, c, a, i), Error);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: forbidden overlap") {
    ON_EACH_DEVICE {
        const Buffer buffer = on.device.allocate(64);
        CHECK(code_of([&] { queue.copy(buffer, 0, buffer, 16, 17); }) == invalid);
        CHECK(code_of([&] { queue.copy(buffer, 16, buffer, 0, 17); }) == invalid);
        CHECK(code_of([&] { queue.copy(buffer, 8, buffer, 8, 8); }) == invalid);
        const Tensor t(on.device, DType::f32, {4, 4});
        CHECK(code_of([&] { ops::matmul(queue, t, t, t); }) == invalid);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: an unknown device and a malformed selector") {
    CHECK(code_of([] { open_device("cpu:99"); }) == ErrorCode::unavailable);
    CHECK(code_of([] { open_device("name:no device has this name"); }) == ErrorCode::unavailable);
    for (const char* selector : {"cpu:", "cpu:x", ",", "cpu,,gpu", "!", "frobnicate", "pci:", "name:"}) {
        CAPTURE(selector);
        CHECK(code_of([&] { open_device(selector); }) == invalid);
        CHECK(message_of([&] { open_device(selector); }).find('^') != std::string::npos);
    }
    ON_EACH_DEVICE check_usable(on, queue);
}

TEST_CASE("bad input: a kernel that does not compile names the user's line") {
    ON_EACH_DEVICE {
        const auto refused = [&](const std::string& text, std::size_t line) {
            CAPTURE(text);
            BuildOptions options;
            options.file_name = "mine.cl";
            CHECK(code_of([&] { on.device.build(text, options); }) == ErrorCode::build_failed);
            const std::string message = message_of([&] { on.device.build(text, options); });
            CAPTURE(message);
            CHECK(line_of(message, "mine.cl:") == line);
        };
        refused("kernel void k(global int* out)\n{\n    out[0] = 1 +;\n}\n", 3);
        refused("kernel void k(global int* out) {\n    out[0] = undeclared;\n}\n", 2);
        refused("kernel void k(global int* out) {\n    out[0] = 1;\n    if (out[1]) {\n}\n", 1); // never closed
        refused("#include \"nowhere.h\"\nkernel void k(void) {}\n", 1);
        CHECK(code_of([&] { on.device.build(""); }) == ErrorCode::build_failed);
        CHECK(code_of([&] { on.device.build("int helper(int x) { return x; }"); }) == ErrorCode::build_failed);
        BuildOptions options;
        options.defines = {{"not a name", "1"}};
        CHECK(code_of([&] { on.device.build(source(), options); }) == invalid);
        CHECK(message_of([&] { on.program.kernel("scales"); }).find("scale, reverse, describe") != std::string::npos);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: a missing or mistyped argument") {
    ON_EACH_DEVICE {
        const Kernel scale = on.program.kernel("scale");
        const Buffer data = on.device.allocate(64);
        CHECK(code_of([&] { queue.launch(scale, 16, data, 2.0f); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, data, 2.0f, 16u, 1); }) == invalid);
        CHECK(message_of([&] { queue.launch(scale, 16, data, 2.0, 16u); }).find("factor") != std::string::npos);
        CHECK(code_of([&] { queue.launch(scale, 16, data, 2, 16u); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, data, 2.0f, 16); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, data, 2.0f, std::uint64_t{16}); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, 1, 2.0f, 16u); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, Buffer(), 2.0f, 16u); }) == invalid);
        CHECK(code_of([&] { queue.launch(scale, 16, LocalMemory{64}, 2.0f, 16u); }) == invalid);
        CHECK(code_of([&] { queue.launch(Kernel(), 16, data); }) == invalid);
        struct {
            int only;
        } small{1};
        CHECK(code_of([&] {
                  queue.launch(on.program.kernel("describe"), 1, data, small, small, std::int8_t{1}, std::uint64_t{1});
              }) == invalid);
        const Tensor tensor(on.device, DType::f32, {16});
        CHECK(code_of([&] { queue.launch(scale, 8, tensor.view().sliced(0, 8, 8), 2.0f, 8u); }) == invalid);
        for (const Opened& other : all())
            if (!(other.device == on.device)) {
                CHECK(code_of([&] { queue.launch(scale, 16, other.device.allocate(64), 2.0f, 16u); }) == invalid);
                CHECK(code_of([&] { queue.launch(other.program.kernel("scale"), 16, data, 2.0f, 16u); }) == invalid);
                CHECK(code_of([&] { queue.fill(other.device.allocate(4), 0, 4, "1234", 4); }) == invalid);
            }
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: a group too large, or one that does not divide") {
    ON_EACH_DEVICE {
        const Kernel scale = on.program.kernel("scale");
        const Buffer data = on.device.allocate(64);
        const Capabilities& limits = on.device.capabilities();
        const std::size_t large = limits.max_group_items * 2;
        const auto refused = [&](const Range& range) {
            return code_of([&] { queue.launch(scale, range, data, 2.0f, 1u); }) == invalid;
        };
        CHECK(refused(Range(large).grouped(large)));
        CHECK(refused(Range(16, large).grouped(16, large)));
        CHECK(refused(Range(std::size_t{1} << 40).grouped(std::size_t{1} << 40)));
        CHECK(refused(Range(16).grouped(3)));
        CHECK(refused(Range(std::size_t{1} << 40, std::size_t{1} << 40)));
        CHECK(code_of([&] { queue.launch(on.program.kernel("fixed"), Range(8, 4).grouped(8, 2), data); }) == invalid);
        CHECK(code_of([&] { queue.launch(on.program.kernel("fixed"), Range(6, 4), data); }) == invalid);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: too much local memory") {
    ON_EACH_DEVICE {
        const Kernel reverse = on.program.kernel("reverse");
        const Buffer a = on.device.allocate(64), b = on.device.allocate(64);
        const auto with = [&](std::size_t bytes) {
            return [&, bytes] { queue.launch(reverse, Range(16).grouped(16), a, b, LocalMemory{bytes}); };
        };
        CHECK(code_of(with(std::size_t{256} << 20)) == invalid);
        CHECK(code_of(with(on.device.capabilities().local_memory_bytes + 1)) == invalid);
        CHECK(code_of(with(~std::size_t{0})) == invalid);
        CHECK(code_of(with(0)) == invalid);
        check_usable(on, queue);
    }
}

TEST_CASE("bad input: an absurd allocation") {
    ON_EACH_DEVICE {
        CHECK(code_of([&] { on.device.allocate(~std::size_t{0}); }) == invalid);
        CHECK(code_of([&] { on.device.allocate(std::size_t{1} << 60); }) == invalid);
        CHECK(code_of([&] { on.device.allocate(on.device.capabilities().max_allocation_bytes + 1); }) == invalid);
        CHECK(code_of([&] {
                  Tensor(on.device, DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 40});
              }) == invalid);
        CHECK(on.device.allocate(0).size() == 0);
        check_usable(on, queue);
    }
}
