#include "support.hpp"
#include <algorithm>

using namespace devq;
using namespace devq::opencl_test;

static Variables stand_in(const char* mode) {
    return {{"OCL_ICD_VENDORS", driver_folder(program_folder() + "/tests/unit/opencl/libdevq-test-icd.so")},
            {"DEVQ_TEST_ICD", mode}};
}

/// What the stand-in driver's only entry under `unavailable` says.
static Unavailable the_only_entry() {
    const auto found = make_backend()->enumerate();
    CHECK(found.devices.empty());
    REQUIRE(found.unavailable.size() == 1);
    CHECK(found.unavailable[0].backend == "opencl");
    CHECK_FALSE(found.unavailable[0].remedy.empty());
    MESSAGE(found.unavailable[0].code, ": ", found.unavailable[0].reason);
    return found.unavailable[0];
}

TEST_CASE("every device says who it is, without being opened") {
    const auto backend = make_backend();
    CHECK(backend->name() == "opencl");
    const auto found = backend->enumerate();
    DEVQ_DEVICE_OR_RETURN(opened);
    for (std::size_t i = 0; i < found.devices.size(); ++i) {
        const DeviceInfo& info = found.devices[i];
        CHECK(info.id == "opencl:" + std::to_string(i));
        CHECK(info.backend == "opencl");
        CHECK_FALSE(info.name.empty());
        CHECK_FALSE(info.vendor.empty());
        CHECK(info.platform.find("OpenCL ") != info.platform.npos);
        CHECK(info.memory_bytes > 0);
        CHECK(info.compute_units > 0);
        for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8, DType::i64})
            CHECK(std::count(info.dtypes.begin(), info.dtypes.end(), type) == 1);
    }
    const auto again = backend->enumerate();
    REQUIRE(again.devices.size() == found.devices.size());
    CHECK(again.devices[0].name == found.devices[0].name);
}

TEST_CASE("capabilities are the device's") {
    DEVQ_DEVICE_OR_RETURN(opened);
    const Capabilities& can = opened->capabilities();
    CHECK(can.max_group_items >= 1);
    CHECK(can.max_group[0] >= 1);
    CHECK(can.local_memory_bytes >= 16384);
    CHECK(can.max_allocation_bytes >= (std::size_t{1} << 20));
    CHECK(can.max_argument_bytes >= 1024);
    const auto info = make_backend()->enumerate().devices.at(0);
    CHECK((std::find(info.dtypes.begin(), info.dtypes.end(), DType::f64) != info.dtypes.end()) == can.f64);
    if (info.type == DeviceType::cpu) {
        CHECK(can.device_class == "opencl-cpu");
        CHECK(can.preferred_group == 1);
    } else {
        CHECK(can.device_class == "gpu");
        CHECK(can.preferred_group <= can.max_group_items);
    }
    CHECK((can.vector_width == 1 || can.vector_width == 4 || can.vector_width == 8 || can.vector_width == 16));
    CHECK(opened->language() == backend::SourceLanguage::opencl_c);
}

TEST_CASE("no driver at all is a reason, not an error") {
    if (respawned("no driver at all is a reason, not an error", {{"OCL_ICD_VENDORS", make_folder("none")}}))
        return;
    const Unavailable entry = the_only_entry();
    CHECK(entry.code == "hidden_by_environment");
    CHECK(entry.reason.find("OCL_ICD_VENDORS") != entry.reason.npos);
}

TEST_CASE("a platform without devices") {
    if (respawned("a platform without devices", stand_in("empty")))
        return;
    const Unavailable entry = the_only_entry();
    CHECK(entry.code == "no_device");
    CHECK(entry.reason.find("Stand-in platform") != entry.reason.npos);
    CHECK(entry.reason.find("CL_DEVICE_NOT_FOUND") != entry.reason.npos);
}

TEST_CASE("a platform that answers errors") {
    if (respawned("a platform that answers errors", stand_in("error")))
        return;
    const Unavailable entry = the_only_entry();
    CHECK(entry.code == "driver_broken");
    CHECK(entry.reason.find("CL_OUT_OF_HOST_MEMORY") != entry.reason.npos);
}

TEST_CASE("a device that answers nothing") {
    if (respawned("a device that answers nothing", stand_in("silent")))
        return;
    CHECK(the_only_entry().code == "driver_broken");
}

TEST_CASE("a device below OpenCL 1.2") {
    if (respawned("a device below OpenCL 1.2", stand_in("old")))
        return;
    const Unavailable entry = the_only_entry();
    CHECK(entry.code == "driver_too_old");
    CHECK(entry.reason.find("OpenCL 1.1") != entry.reason.npos);
}

TEST_CASE("a device that is not available") {
    if (respawned("a device that is not available", stand_in("unavailable")))
        return;
    CHECK(the_only_entry().code == "driver_broken");
}

TEST_CASE("a device without a compiler") {
    if (respawned("a device without a compiler", stand_in("compilerless")))
        return;
    CHECK(the_only_entry().code == "unsupported_architecture");
}

TEST_CASE("GPUs tell vendor and PCI address, each in its own way") {
    if (respawned("GPUs tell vendor and PCI address, each in its own way", stand_in("gpus")))
        return;
    const auto backend = make_backend();
    const auto found = backend->enumerate();
    CHECK(found.unavailable.empty());
    REQUIRE(found.devices.size() == 3);
    CHECK(found.devices[0].vendor == "AMD");
    CHECK(found.devices[0].name == "AMD Radeon RX 6800 (gfx1030)");
    CHECK(found.devices[0].pci == "0000:c3:00.1");
    CHECK(found.devices[0].type == DeviceType::gpu);
    CHECK(found.devices[1].vendor == "NVIDIA");
    CHECK(found.devices[1].pci == "0001:65:01.2");
    CHECK(found.devices[2].vendor == "Intel");
    CHECK(found.devices[2].pci == "0000:03:00.0");
    CHECK(std::count(found.devices[1].dtypes.begin(), found.devices[1].dtypes.end(), DType::f64) == 1);
    CHECK(std::count(found.devices[2].dtypes.begin(), found.devices[2].dtypes.end(), DType::f64) == 0);
    CHECK(error_text(ErrorCode::unavailable, [&] { backend->open(0); }).find("clGetDeviceInfo") != std::string::npos);
}

TEST_CASE("two devices of one platform are two rows, and both work") {
    const std::string pocl = pocl_folder();
    if (pocl.empty())
        return;
    if (respawned("two devices of one platform are two rows, and both work",
                  {{"OCL_ICD_VENDORS", pocl}, {"POCL_DEVICES", "pthread basic"}}))
        return;
    const auto backend = make_backend();
    const auto found = backend->enumerate();
    REQUIRE(found.devices.size() == 2);
    CHECK(found.devices[0].name != found.devices[1].name);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(found.devices[i].id == "opencl:" + std::to_string(i));
        const auto device = backend->open(i);
        const auto queue = device->create_queue();
        const auto twice = kernel(*device, "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }", "twice");
        const auto memory = upload<int>(*device, *queue, {1, 2, 3});
        queue->launch(twice, range(3), Arguments().buffer(memory));
        CHECK(download<int>(*queue, memory, 3) == std::vector<int>{2, 4, 6});
    }
}

TEST_CASE("the driver's limit on memory is reported and kept") {
    const std::string pocl = pocl_folder();
    if (pocl.empty())
        return;
    if (respawned("the driver's limit on memory is reported and kept",
                  {{"OCL_ICD_VENDORS", pocl}, {"POCL_MEMORY_LIMIT", "1"}}))
        return;
    const auto backend = make_backend();
    const auto found = backend->enumerate();
    REQUIRE(found.devices.size() == 1);
    CHECK(found.devices[0].memory_bytes <= (std::uint64_t{1} << 30));
    const auto device = backend->open(0);
    const std::uint64_t most = device->capabilities().max_allocation_bytes;
    CHECK(most <= (std::uint64_t{1} << 30));
    const std::string text = error_text(ErrorCode::out_of_memory, [&] { device->allocate(most + 4096); });
    CHECK(text.find(std::to_string(most + 4096)) != text.npos);
    CHECK(text.find("clCreateBuffer") != text.npos);
    CHECK(device->allocate(4096) != nullptr);
}
