// What is checked of a launch before it is queued, and the group size that devq chooses.
#include "fake_backend.hpp"
#include <doctest/doctest.h>

using namespace devq;
using fake::code_of;
using fake::message_of;
using fake::Opened;
using frontend::ValueKind;

namespace {

struct Shape {
    int rows, columns;
};
struct Four {
    float lanes[4];
};

/// kernel void k(global int* data, local float* scratch, float factor, uint n, struct shape shape, float4 bias)
Kernel all_kinds(const Opened& fake) {
    frontend::KernelSignature signature;
    signature.name = "k";
    signature.parameters = {fake::pointer("data"),
                            {"scratch", "float*", frontend::Space::local, false, ValueKind::floating, 4},
                            fake::value("factor", "float", ValueKind::floating, 4),
                            fake::value("n", "uint", ValueKind::unsigned_integer, 4),
                            fake::value("shape", "struct shape", ValueKind::structure, 8),
                            fake::value("bias", "float4", ValueKind::floating, 16)};
    return fake.kernel(std::move(signature), [](const fake::Call&) {});
}

fake::Kernel& native(const Kernel& kernel) { return static_cast<fake::Kernel&>(*kernel.state()->kernel); }

/// The range that a launch of a kernel without parameters arrives with.
backend::LaunchRange arrived(const Opened& fake, const Range& range,
                             const std::function<void(detail::KernelState&)>& change) {
    backend::LaunchRange seen;
    frontend::KernelSignature signature;
    signature.name = "plain";
    const Kernel kernel = fake.kernel(std::move(signature), [&](const fake::Call& call) { seen = call.range; });
    change(*kernel.state());
    const Queue queue = fake.device.create_queue();
    queue.launch(kernel, range);
    queue.wait();
    return seen;
}

using Sizes = std::array<std::size_t, 3>;

} // namespace

TEST_CASE("arguments are checked for count, kind and size, by name") {
    Opened fake, other("fake:1");
    const Queue queue = fake.device.create_queue();
    const Buffer data = fake.device.allocate(64), foreign = other.device.allocate(64);
    const Kernel kernel = all_kinds(fake);
    const LocalMemory scratch{64};
    const float factor = 2.0f;
    const std::uint32_t n = 4;
    const Shape shape{1, 2};
    const Four bias{};
    CHECK_NOTHROW(queue.launch(kernel, 4, data, scratch, factor, n, shape, bias));
    queue.wait();
    CHECK(fake.plan->taken() == std::vector<std::string>{"launch"});

    const auto refused = [&](const std::string& name, const std::string& advice, const std::function<void()>& call) {
        CAPTURE(name);
        CHECK(code_of(call) == ErrorCode::invalid_argument);
        const std::string message = message_of(call);
        CAPTURE(message);
        CHECK(message.find(name) != std::string::npos);
        CHECK(message.find(advice) != std::string::npos);
        CHECK(message.rfind("Queue::launch: ", 0) == 0);
    };
    refused("takes 6 arguments, 5 were given", "k(global int* data, local float* scratch, float factor",
            [&] { queue.launch(kernel, 4, data, scratch, factor, n, shape); });
    refused("7 were given", "float4 bias", [&] { queue.launch(kernel, 4, data, scratch, factor, n, shape, bias, n); });
    refused("data", "Pass a Buffer", [&] { queue.launch(kernel, 4, n, scratch, factor, n, shape, bias); });
    refused("data", "Allocate", [&] { queue.launch(kernel, 4, Buffer(), scratch, factor, n, shape, bias); });
    refused("fake:1", "Queue::copy", [&] { queue.launch(kernel, 4, foreign, scratch, factor, n, shape, bias); });
    refused("scratch", "LocalMemory{", [&] { queue.launch(kernel, 4, data, data, factor, n, shape, bias); });
    refused("scratch", "at least", [&] { queue.launch(kernel, 4, data, LocalMemory{0}, factor, n, shape, bias); });
    refused("factor", "2.0f", [&] { queue.launch(kernel, 4, data, scratch, 2.0, n, shape, bias); });
    refused("factor", "2.0f", [&] { queue.launch(kernel, 4, data, scratch, 2, n, shape, bias); });
    refused("factor", "2.0f", [&] { queue.launch(kernel, 4, data, scratch, data, n, shape, bias); });
    refused("(uint n)", "std::uint32_t", [&] { queue.launch(kernel, 4, data, scratch, factor, 4, shape, bias); });
    refused("(uint n)", "std::uint32_t", [&] { queue.launch(kernel, 4, data, scratch, factor, 4ul, shape, bias); });
    refused("shape", "exactly 8 bytes", [&] { queue.launch(kernel, 4, data, scratch, factor, n, bias, bias); });
    refused("shape", "structure", [&] { queue.launch(kernel, 4, data, scratch, factor, n, 4.0, bias); });
    refused("bias", "exactly 16 bytes", [&] { queue.launch(kernel, 4, data, scratch, factor, n, shape, 4.0f); });
    refused("bias", "exactly 16 bytes", [&] { queue.launch(kernel, 4, data, scratch, factor, n, shape, shape); });
    CHECK_NOTHROW(queue.wait());
    CHECK(fake.plan->taken().empty());
}

TEST_CASE("a view is its whole buffer, and one with an offset is refused") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    frontend::KernelSignature signature;
    signature.name = "k";
    signature.parameters = {fake::pointer("data")};
    std::weak_ptr<backend::Memory> seen;
    const Kernel kernel = fake.kernel(signature, [&](const fake::Call& call) { seen = call.memory[0]; });
    const Tensor tensor(fake.device, DType::i32, {4});
    queue.launch(kernel, 4, tensor);
    queue.wait();
    CHECK(seen.lock() == tensor.buffer().state()->memory);
    queue.launch(kernel, 4, tensor.view());
    CHECK(message_of([&] { queue.launch(kernel, 2, tensor.view().sliced(0, 2, 2)); }).find("argument of its own") !=
          std::string::npos);
    CHECK_NOTHROW(queue.wait());
}

TEST_CASE("local memory is checked in sum, the kernel's own included") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    frontend::KernelSignature signature;
    signature.name = "k";
    const frontend::Parameter local{"a", "float*", frontend::Space::local, false, ValueKind::floating, 4};
    signature.parameters = {local, local};
    signature.local_bytes = 100;
    const Kernel kernel = fake.kernel(signature, [](const fake::Call&) {});
    CHECK_NOTHROW(queue.launch(kernel, 1, LocalMemory{16000}, LocalMemory{32768 - 16100}));
    const auto too_much = [&](std::size_t a, std::size_t b) {
        return code_of([&] { queue.launch(kernel, 1, LocalMemory{a}, LocalMemory{b}); }) == ErrorCode::invalid_argument;
    };
    CHECK(too_much(16000, 32768 - 16099));
    CHECK(too_much(std::size_t{1} << 28, 4));
    CHECK(too_much(~std::size_t{0}, ~std::size_t{0}));
    native(kernel).local = 200; // what the backend knows counts for more than the front end's estimate
    CHECK(too_much(16000, 32768 - 16199));
    CHECK_NOTHROW(queue.launch(kernel, 1, LocalMemory{16000}, LocalMemory{32768 - 16200}));
    queue.wait();
}

TEST_CASE("the bytes of all arguments are bounded") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    struct Large {
        std::byte data[600];
    };
    frontend::KernelSignature signature;
    signature.name = "k";
    signature.parameters = {fake::value("a", "struct large", ValueKind::structure, 600),
                            fake::value("b", "struct large", ValueKind::structure, 600)};
    const Kernel kernel = fake.kernel(signature, [](const fake::Call&) {});
    CHECK(message_of([&] { queue.launch(kernel, 1, Large{}, Large{}); }).find("1200 bytes") != std::string::npos);
}

TEST_CASE("more arguments than are kept without allocation") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    frontend::KernelSignature signature;
    signature.name = "k";
    std::vector<std::int32_t> values(40);
    std::vector<KernelArg> arguments;
    arguments.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int32_t>(i * i);
        signature.parameters.push_back(fake::value("v", "int", ValueKind::signed_integer, 4));
        arguments.emplace_back(values[i]);
    }
    int wrong = -1;
    const Kernel kernel = fake.kernel(signature, [&](const fake::Call& call) {
        wrong = 0;
        for (std::size_t i = 0; i < call.values.size(); ++i)
            wrong += call.value<int>(i) != static_cast<int>(i * i);
    });
    queue.launch_span(kernel, 1, arguments);
    queue.wait();
    CHECK(wrong == 0);
}

TEST_CASE("group sizes are checked against the device, the kernel and the range") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    const Kernel kernel = fake.task([] {});
    const auto refused = [&](const Range& range) {
        return code_of([&] { queue.launch(kernel, range); }) == ErrorCode::invalid_argument;
    };
    CHECK(refused(Range(512).grouped(512)));       // above max_group[0]
    CHECK(refused(Range(1, 256).grouped(1, 256))); // above max_group[1]
    CHECK(refused(Range(64, 64).grouped(64, 8)));  // 512 items
    CHECK(refused(Range(10).grouped(4)));          // does not divide
    CHECK(refused(Range(10, 10).grouped(2, 0)));   // half given
    constexpr std::size_t huge = std::size_t{1} << 40;
    CHECK(refused(Range(huge, huge)));
    Range wrong(4);
    wrong.dimensions = 4;
    CHECK(refused(wrong));
    wrong.dimensions = 0;
    CHECK(refused(wrong));
    CHECK_NOTHROW(queue.launch(kernel, Range(64, 64).grouped(64, 4)));
    native(kernel).most_items = 32;
    CHECK(refused(Range(64).grouped(64)));
    CHECK_NOTHROW(queue.launch(kernel, Range(64).grouped(32)));
    queue.wait();
}

TEST_CASE("a kernel's required group is kept") {
    Opened fake;
    const Queue queue = fake.device.create_queue();
    frontend::KernelSignature signature;
    signature.name = "fixed";
    signature.required_group = {8, 4, 1};
    Sizes local{};
    const Kernel kernel = fake.kernel(signature, [&](const fake::Call& call) { local = call.range.local; });
    queue.launch(kernel, Range(16, 8));
    queue.wait();
    CHECK(local == Sizes{8, 4, 1});
    CHECK_NOTHROW(queue.launch(kernel, Range(16, 8).grouped(8, 4)));
    const auto refused = [&](const Range& range) {
        return code_of([&] { queue.launch(kernel, range); }) == ErrorCode::invalid_argument;
    };
    CHECK(refused(Range(16, 8).grouped(4, 8)));
    CHECK(refused(Range(12, 8)));
    CHECK(refused(Range(32)));
    queue.wait();
}

TEST_CASE("devq chooses powers of two that divide the range") {
    Opened fake;
    const auto plain = [](detail::KernelState&) {};
    CHECK(arrived(fake, 1024, plain).local == Sizes{64, 1, 1});
    CHECK(arrived(fake, 24, plain).local == Sizes{8, 1, 1});
    CHECK(arrived(fake, 1009, plain).local == Sizes{1, 1, 1});
    CHECK(arrived(fake, Range(6, 64), plain).local == Sizes{2, 32, 1});
    CHECK(arrived(fake, Range(2, 2, 256), plain).local == Sizes{2, 2, 16});
    CHECK(arrived(fake, 1024, [](detail::KernelState& k) {
              static_cast<fake::Kernel&>(*k.kernel).most_items = 48;
          }).local == Sizes{32, 1, 1});
    fake.native->capabilities_.preferred_group = 1; // as on a CPU
    CHECK(arrived(fake, 1024, plain).local == Sizes{64, 1, 1});
    CHECK(arrived(fake, 1024, [](detail::KernelState& k) { k.signature.uses_barrier = true; }).local == Sizes{1, 1, 1});
    CHECK(arrived(fake, Range(0, 8), plain).global == Sizes{1, 1, 1}); // nothing arrived
    CHECK(fake.plan->taken().size() == 8);
}

TEST_CASE("a kernel of another device is refused") {
    Opened fake, other("fake:1");
    const Queue queue = fake.device.create_queue();
    CHECK(code_of([&] { queue.launch(other.task([] {}), 1); }) == ErrorCode::invalid_argument);
    CHECK_NOTHROW(queue.wait());
}
