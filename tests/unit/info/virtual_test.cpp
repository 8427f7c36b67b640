// DEVQ_VIRTUAL_DEVICES on real devices: two parts of one, each with its own queues and programs.
#define DOCTEST_CONFIG_IMPLEMENT
#include "../devices/expect.hpp"
#include <cstdio>
#include <cstdlib>
#include <devq/devq.hpp>
#include <numeric>
#include <vector>

namespace {

constexpr const char* source = R"(
kernel void add(global int* x, int n) { x[get_global_id(0)] += n; }
kernel void spin(global int* x, int n) {
    int seen = 0;
    for (int i = 0; i < n && seen == 0; ++i)
        seen = atomic_add(&x[1], 0);
    x[0] = seen + 1;
}
)";

devq::Device opened(const char* id) {
    devq::Device device = devq::open_device(id);
    CHECK(device.info().id == id);
    return device;
}

} // namespace

// Before any device is looked for: the variable is read once a backend.
int main(int argument_count, char** arguments) {
    setenv("DEVQ_VIRTUAL_DEVICES", "cpu=2, opencl=2", 1);
    for (const char* other : {"DEVQ_DEVICE", "DEVQ_STRICT"})
        unsetenv(other);
    return doctest::Context(argument_count, arguments).run();
}

TEST_CASE("two devices on the processors: names, capabilities, memory") {
    const devq::Inventory list = devq::list_devices("cpu");
    REQUIRE(list.devices.size() == 2);
    const devq::DeviceInfo &first = list.devices[0], &second = list.devices[1];
    CHECK(first.id == "cpu:0");
    CHECK(second.id == "cpu:1");
    CHECK(first.virtual_part == 0);
    CHECK(second.virtual_part == 1);
    CHECK(first.virtual_parts == 2);
    CHECK(first.name == second.name);
    CHECK(first.compute_units == second.compute_units); // they share the cores
    CHECK(first.memory_bytes == second.memory_bytes);
    CHECK(devq::list_devices("cpu:1").devices.size() == 1);
    CHECK(devq::list_devices("cpu:2").devices.empty());
    CHECK(devq::list_devices("cpu,!cpu:0").devices.at(0).id == "cpu:1");

    const devq::Device one = opened("cpu:0"), other = opened("cpu:1");
    CHECK_FALSE(one == other);
    CHECK(one == opened("cpu:0"));
    CHECK(one.capabilities().max_allocation_bytes == first.memory_bytes);
}

TEST_CASE("copies between two parts of the processors, both ways") {
    const devq::Device one = opened("cpu:0"), other = opened("cpu:1");
    const devq::Queue queue = one.create_queue(), back = other.create_queue();
    std::vector<int> values(5000), result(values.size());
    std::iota(values.begin(), values.end(), 17);
    const devq::Buffer here = one.allocate(values.size() * sizeof(int)), there = other.allocate(here.size());
    queue.write(here, std::span<const int>(values));
    queue.launch(one.build(source).kernel("add"), values.size(), here, 5);
    queue.copy(there, 0, here, 0, here.size());
    back.wait_for(queue.record());
    back.launch(other.build(source).kernel("add"), values.size(), there, 100);
    back.copy(here, 4, there, 0, here.size() - 4);
    queue.wait_for(back.record());
    queue.read(std::span<int>(result), here);
    CHECK(result[0] == 22);
    bool right = true;
    for (std::size_t i = 1; i < result.size(); ++i)
        right = right && result[i] == values[i - 1] + 105;
    CHECK(right);
    // A buffer of one part is none of the other's.
    thrown(devq::ErrorCode::invalid_argument,
           [&] { back.launch(other.build(source).kernel("add"), values.size(), here, 1); });
}

TEST_CASE("both parts run at once") {
    const devq::Device one = opened("cpu:0"), other = opened("cpu:1");
    const devq::Queue slow = one.create_queue(), quick = other.create_queue();
    const devq::Kernel spin = one.build(source).kernel("spin"), add = other.build(source).kernel("add");
    const devq::Buffer flags = one.allocate(8), x = other.allocate(4096 * sizeof(int));
    const int zero = 0;
    slow.fill(flags, 0, 8, &zero, sizeof zero);
    quick.fill(x, 0, x.size(), &zero, sizeof zero);
    slow.launch(spin, 1, flags, 1); // loaded
    quick.launch(add, 4096, x, 1);
    slow.wait();
    quick.wait();
    const devq::Event begun = slow.record();
    slow.launch(spin, 1, flags, 1 << 28); // a second or more
    const devq::Event ended = slow.record();
    slow.flush();
    begun.wait();
    for (int i = 0; i < 8; ++i)
        quick.launch(add, 4096, x, 1);
    quick.wait();
    CHECK_FALSE(ended.done()); // the other part's work was done meanwhile
    // From a third queue, since the first one is busy: ends the kernel's wait.
    const int set = 1;
    const devq::Queue side = one.create_queue();
    side.write(flags, 4, &set, sizeof set);
    side.wait();
    ended.wait();
    std::vector<int> values(4096);
    quick.read(std::span<int>(values), x);
    CHECK(values == std::vector<int>(4096, 9));
}

TEST_CASE("OpenCL devices are split too") {
    const auto found = devq::list_devices("opencl").devices;
    if (found.empty()) {
        std::puts("skipped: opencl: no OpenCL device on this machine");
        return;
    }
    CHECK(found.size() % 2 == 0);
    const devq::Device one = opened("opencl:0"), other = opened("opencl:1");
    CHECK(one.info().name == other.info().name);
    CHECK(one.info().virtual_parts == 2);
    CHECK_FALSE(one == other);
    const devq::Queue queue = one.create_queue(), back = other.create_queue();
    std::vector<int> values(1000, 3), result(values.size());
    const devq::Buffer here = one.allocate(values.size() * sizeof(int)), there = other.allocate(here.size());
    queue.write(here, std::span<const int>(values));
    queue.launch(one.build(source).kernel("add"), values.size(), here, 4);
    queue.copy(there, 0, here, 0, here.size());
    back.wait_for(queue.record());
    back.launch(other.build(source).kernel("add"), values.size(), there, 10);
    back.read(std::span<int>(result), there);
    CHECK(result == std::vector<int>(1000, 17));
}
