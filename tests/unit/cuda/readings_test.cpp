// What NVML tells of a device, and what is said where it does not. Child processes: the library is opened once a
// process.
#include "../devices/support.hpp"
#include "contract.hpp"
#include "support.hpp"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace devq;
using namespace devq::cuda_test;

namespace {

void print(const char* name, const auto& value) {
    if (value)
        std::printf("%s: %s\n", name, std::to_string(*value).c_str());
    else
        std::printf("%s: -\n", name);
}

} // namespace

TEST_CASE("child: readings" * doctest::skip()) {
    const Contract on(1);
    const auto memory = on.device->allocate(1 << 20);
    const backend::Readings read = on.backend->readings(1);
    std::printf("%s: %s\nuuid: %s\n", read.source.c_str(), read.version.c_str(), read.uuid.c_str());
    print("total", read.memory_total_bytes);
    print("used", read.memory_used_bytes);
    print("free", read.memory_free_bytes);
    print("load", read.load_percent);
    print("memory load", read.memory_load_percent);
    print("temperature", read.temperature_celsius);
    print("power", read.power_watts);
    print("power limit", read.power_limit_watts);
    print("clock", read.clock_mhz);
    print("max clock", read.max_clock_mhz);
    print("memory clock", read.memory_clock_mhz);
    print("max memory clock", read.max_memory_clock_mhz);
    if (!read.processes)
        std::puts("processes: -");
    else {
        std::printf("processes: %zu\n", read.processes->size());
        for (const backend::ProcessReading& process : *read.processes)
            if (process.id == static_cast<std::uint64_t>(getpid()))
                print("own", process.memory_bytes);
            else if (read.processes->size() < 5)
                print(("process " + std::to_string(process.id)).c_str(), process.memory_bytes);
    }
    for (const auto& [name, why] : read.absent)
        std::printf("absent %s: %s\n", name.c_str(), why.c_str());
    CHECK(on.device->allocate(64) != nullptr); // the device itself works, whatever NVML does
}

namespace {

/// What the child prints, a line each.
std::string readings(const std::map<std::string, std::string>& environment) {
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: readings"}, environment);
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
    return '\n' + child.out;
}

void check_lines(const std::string& text, std::initializer_list<const char*> lines) {
    for (const char* line : lines)
        CHECK_MESSAGE(holds(text, '\n' + std::string(line) + '\n'), line << " is not in:" << text);
}

} // namespace

TEST_CASE("NVML's readings of a device, in their units") {
    const std::string text = readings({});
    CHECK_MESSAGE(holds(text, "\nnvml: of driver 580.65.06 (/"), text);
    // The second device of several: matched by UUID, and not by a number.
    check_lines(text, {"uuid: GPU-64657671-f001-0203-0405-060708090a01", "total: 67108864", "load: 31",
                       "memory load: 11", "temperature: 41", "power: 62.500000", "power limit: 350.000000",
                       "clock: 1410", "max clock: 1980", "memory clock: 1593", "max memory clock: 2619", "processes: 3",
                       "process 4000001: -", "process 5000000: 4096"});
    CHECK_MESSAGE(!holds(text, "absent"), text);
    const auto number = [&](const std::string& name) {
        const std::size_t at = text.find('\n' + name + ": ");
        REQUIRE_MESSAGE(at != text.npos, name << text);
        return std::stoull(text.substr(at + name.size() + 3));
    };
    CHECK(number("used") + number("free") == number("total"));
    CHECK(number("own") >= 1 << 20);                       // what the test holds
    CHECK(number("used") == number("own") + (512u << 10)); // and what is the driver's
}

TEST_CASE("a device that NVML knows only by its PCI address") {
    const std::string text = readings({{"VIRTUAL_CUDA_FAULTS", "cuDeviceGetUuid_v2@1=1"}});
    check_lines(text, {"uuid: ", "temperature: 41", "processes: 3"});
}

TEST_CASE("more processes than there was room for") {
    check_lines(readings({{"VIRTUAL_NVML_PROCESSES", "500"}}), {"processes: 503"});
}

TEST_CASE("a call of NVML that fails takes only its own reading away") {
    const std::string text =
        readings({{"VIRTUAL_CUDA_FAULTS", "nvmlDeviceGetPowerUsage@1=3;nvmlDeviceGetClockInfo@2=999;"
                                          "nvmlDeviceGetMemoryInfo@1=4;"
                                          "nvmlDeviceGetComputeRunningProcesses_v3@1=4"}});
    check_lines(text, {"total: -", "used: -", "free: -", "power: -", "memory clock: -", "processes: -",
                       "power limit: 350.000000", "clock: 1410", "temperature: 41",
                       "absent power_watts: nvmlDeviceGetPowerUsage: Not Supported",
                       "absent memory_clock_mhz: nvmlDeviceGetClockInfo: Unknown Error"});
    CHECK_MESSAGE(holds(text, "absent memory_total_bytes: nvmlDeviceGetMemoryInfo: "), text);
}

TEST_CASE("a part of a divided GPU: what is not told of it is absent, and not zero") {
    const std::string part = readings({{"VIRTUAL_NVML", "part"}});
    check_lines(part, {"uuid: MIG-64657671-f001-0203-0405-060708090a01", "total: 67108864", "load: -", "memory load: -",
                       "temperature: -", "power: -", "power limit: -", "clock: -", "max clock: -", "memory clock: -",
                       "max memory clock: -", "processes: 2",
                       "absent load_percent: nvmlDeviceGetUtilizationRates: Not Supported"});
    // Where NVML tells of the whole only, that is not taken for the part.
    const std::string whole = readings({{"VIRTUAL_NVML", "divided"}});
    check_lines(whole, {"total: -", "load: -", "processes: -", "temperature: 41", "clock: 1410",
                        "absent processes: the GPU is divided (MIG), and NVML tells them of the whole only"});
}

TEST_CASE("an NVML that does not start, or does not know the device") {
    const std::string mismatch = readings({{"VIRTUAL_CUDA_FAULTS", "nvmlInit_v2@1=18"}});
    CHECK_MESSAGE(holds(mismatch,
                        "nvml: NVML is not used: libnvidia-ml.so.1: nvmlInit returned 18: Driver/library version "
                        "mismatch. The driver was updated while it ran"),
                  mismatch);
    check_lines(mismatch,
                {"uuid: GPU-64657671-f001-0203-0405-060708090a01", "total: -", "temperature: -", "processes: -"});
    CHECK_MESSAGE(holds(readings({{"VIRTUAL_CUDA_FAULTS", "nvmlInit_v2@1=9"}}), "Driver Not Loaded. See whether"),
                  mismatch);
    const std::string unknown =
        readings({{"VIRTUAL_NVML", "divided"}, {"VIRTUAL_CUDA_FAULTS", "nvmlDeviceGetHandleByPciBusId_v2@1=6"}});
    CHECK_MESSAGE(holds(unknown, "nvml: NVML does not know the device GPU-64657671-"), unknown);
    CHECK_MESSAGE(holds(unknown, "0000:42:00.0: nvmlDeviceGetHandle: Not Found"), unknown);
    check_lines(unknown, {"total: -", "temperature: -"});
}

TEST_CASE("an NVML that is missing takes nothing else away") {
    const support::Folder folder; // the driver alone, without the library beside it
    const std::filesystem::path from = support::build_folder() / "tests/virtual_cuda";
    for (const char* name : {"libcuda.so.1", "libcublasLt.so.13", "libcudnn.so.9"})
        std::filesystem::create_symlink(from / name, folder.path / name);
    const std::string text = readings({{"LD_LIBRARY_PATH", folder.path.string()}});
    if (holds(text, "nvml: of driver")) { // the machine's own
        std::puts("skipped: nvml: this machine has an NVML");
        return;
    }
    CHECK_MESSAGE(holds(text, "nvml: NVML is not used: libnvidia-ml.so.1: cannot open shared object file"), text);
    CHECK_MESSAGE(holds(text, "libnvidia-ml1"), text);
    check_lines(text, {"uuid: GPU-64657671-f001-0203-0405-060708090a01", "total: -", "load: -", "processes: -"});
}
