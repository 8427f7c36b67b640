#include "../devices/support.hpp"
#include "support.hpp"
#include <algorithm>

using namespace devq;
using namespace devq::cuda_test;

TEST_CASE("CUDA devices are listed") {
    const Inventory found = list_devices("cuda");
    REQUIRE(found.devices.size() == 11);
    const DeviceInfo& first = found.devices[0];
    CHECK(first.id == "cuda:0");
    CHECK(first.name == "devq simulator 8.1");
    CHECK(first.vendor == "NVIDIA");
    CHECK(first.type == DeviceType::gpu);
    CHECK(first.memory_bytes == std::uint64_t{64} << 20);
    CHECK(first.pci == "0000:41:00.0");
    CHECK(holds(first.platform, "compute capability 8.1, driver for CUDA 13.0"));
    CHECK(found.devices[1].pci == "0000:42:00.0");
    CHECK(found.devices[7].name == "devq simulator 9.1");
    CHECK(std::none_of(found.unavailable.begin(), found.unavailable.end(),
                       [](const Unavailable& entry) { return entry.backend == "cuda"; }));
}

TEST_CASE("CUDA devices can be selected by bus address and name") {
    CHECK(open_device("pci:0000:42:00.0").info().id == "cuda:1");
    CHECK(open_device("name:simulator 9.1").info().id == "cuda:2");
    CHECK(open_device("nvidia").info().id == "cuda:0");
}

TEST_CASE("what a CUDA device can do") {
    const Capabilities can = open_device("cuda:0").capabilities();
    CHECK(can.max_group == std::array<std::size_t, 3>{1024, 1024, 64});
    CHECK(can.max_group_items == 1024);
    CHECK(can.local_memory_bytes == 99 << 10);
    CHECK(can.max_allocation_bytes == std::uint64_t{64} << 20);
    CHECK(can.f64);
    CHECK_FALSE(can.f16_arithmetic);
    CHECK(can.vector_width == 4);
    CHECK(can.preferred_group == 256);
    CHECK(can.device_class == "gpu");
}

TEST_CASE("child: everything is given back" * doctest::skip()) {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue(), other = device.create_queue();
    const Buffer buffer = device.allocate(1 << 20), second = device.allocate(4096);
    const std::vector<unsigned char> bytes = bytes_of(1 << 20, 1);
    queue.write(buffer, 0, bytes.data(), bytes.size());
    const Event event = queue.record();
    other.wait_for(event);
    other.copy(second, 0, buffer, 0, 4096);
    CHECK(contents(other, second) == std::vector<unsigned char>(bytes.begin(), bytes.begin() + 4096));
    CHECK(elapsed_ms(event, other.record()) >= 0);
}

TEST_CASE("a device that is closed has nothing left in the driver") {
    const support::Folder folder;
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: everything is given back"},
                     {{"VIRTUAL_CUDA_REPORT", folder.path / "report"}, {"VIRTUAL_CUDA_DEVICES", "9.1,16"}});
    CHECK_MESSAGE(child.status == 0, child.out);
    const support::Result report = support::run({"/bin/cat", folder.path / "report"});
    CHECK(report.out == "device 0: 0 blocks, 0 streams, 0 events, 0 modules, 0 graphs, retained 0\nhost: 0 blocks\n");
}
