#include "expect.hpp"
#include "machine.hpp"
#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;
using support::Machine;

namespace {

/// devq's own CUDA module in a folder with a driver library of the tests' making, which the loader finds first.
class CudaMachine : public Machine {
public:
    explicit CudaMachine(const std::string& library)
        : Machine({{"libdevq-opencl.so", "fake_backend.so"}, {"libdevq-cpu.so", "fake_backend.so"}}) {
        std::filesystem::copy_file(support::build_folder() / "libdevq-cuda.so", path() / "libdevq-cuda.so");
        std::filesystem::create_directory(path() / "driver");
        if (!library.empty())
            std::filesystem::copy_file(support::standin(library), path() / "driver/libcuda.so.1");
        environment["LD_LIBRARY_PATH"] = (path() / "driver").string();
        environment["DEVQ_NVRTC"] = support::standin("fake_nvrtc.so").string();
    }

    json entries() const {
        const json list = json::parse(devq({"list", "cuda,cpu", "--json"}).out);
        json found = json::array();
        for (const json& entry : list.at("unavailable"))
            if (entry.at("backend") == "cuda")
                found.push_back(entry);
        return found;
    }

    void check(const std::string& code, const std::string& reason) const {
        const json found = entries();
        CAPTURE(found.dump(2));
        REQUIRE(found.size() == 1);
        CHECK(found.at(0).at("code") == code);
        CHECK(holds(found.at(0).at("reason"), reason));
        CHECK_FALSE(found.at(0).at("remedy").get<std::string>().empty());
    }
};

} // namespace

TEST_CASE("what CUDA's driver answers, and what it means") {
    CudaMachine machine("fake_libcuda.so");
    machine.environment["FAKE_CUINIT"] = "34";
    machine.check("driver_broken", "cuInit returned 34: this is the stub library");
    machine.environment["FAKE_CUINIT"] = "803";
    machine.check("driver_too_old", "cuInit returned 803");
    machine.environment["FAKE_CUINIT"] = "804";
    machine.check("driver_too_old", "(driver for CUDA 12.4)");
    machine.environment["FAKE_CUINIT"] = "800";
    machine.check("permission", "cuInit returned 800");
    machine.environment["FAKE_CUINIT"] = "999";
    machine.check("driver_broken", "cuInit returned 999");
    machine.environment["FAKE_CUINIT"] = "12345";
    machine.check("driver_broken", "cuInit returned 12345");
    machine.environment["FAKE_CUINIT"] = "100";
    machine.check("no_device", "cuInit returned 100: no CUDA device");
    for (const char* hidden : {"", "-1", " -1,0", "NoDevFiles"}) {
        machine.environment["CUDA_VISIBLE_DEVICES"] = hidden;
        machine.check("hidden_by_environment", "CUDA_VISIBLE_DEVICES=\"" + std::string(hidden) + "\"");
    }
    machine.environment["CUDA_VISIBLE_DEVICES"] = "7";
    machine.check("no_device", "CUDA_VISIBLE_DEVICES=\"7\"");
    machine.environment["FAKE_CUINIT"] = "0";
    machine.environment["FAKE_CUCOUNT"] = "0";
    machine.check("no_device", "cuDeviceGetCount");
}

TEST_CASE("libraries that are not CUDA's driver, or only a part of it") {
    const CudaMachine stub("fake_libcuda_stub.so"); // the toolkit's: 34 to everything
    stub.check("driver_broken", "cuInit returned 34: this is the stub library that programs are linked with");
    CHECK(holds(stub.entries().at(0).at("remedy"), "stubs folder"));
    CHECK(holds(stub.devq({"list"}).out, "driver_broken"));
    CudaMachine("fake_libcuda_old.so").check("symbol_missing", "libcuda.so.1: undefined symbol: cuDeviceGetName");
    CudaMachine("fake_libcuda_alloc.so").check("symbol_missing", "libcuda.so.1: undefined symbol: cuMemAlloc_v2");
    CudaMachine("fake_libcuda_dependent.so").check("dependency_missing", "libdevq_test_vendor.so: cannot open");
    const CudaMachine text("");
    std::ofstream(text.path() / "driver/libcuda.so.1") << "no library at all\n";
    text.check("driver_broken", "libcuda.so.1");
}

TEST_CASE("CUDA devices are listed with what the driver says of them") {
    CudaMachine machine("fake_libcuda.so");
    machine.environment["FAKE_CUCOUNT"] = "2";
    const json list = json::parse(machine.devq({"list", "cuda", "--json"}).out);
    CAPTURE(list.dump(2));
    REQUIRE(list.at("devices").size() == 2);
    const json& device = list.at("devices").at(0);
    CHECK(device.at("id") == "cuda:0");
    CHECK(device.at("name") == "Fake GPU");
    CHECK(device.at("vendor") == "NVIDIA");
    CHECK(device.at("type") == "gpu");
    CHECK(device.at("memory_bytes") == std::uint64_t{8} << 30);
    CHECK(device.at("compute_units") == 132);
    CHECK(device.at("pci") == "0000:41:00.0");
    CHECK(device.at("platform") == "compute capability 9.1, driver for CUDA 12.4");
    CHECK(device.at("dtypes") == json({"f32", "f16", "bf16", "f64"}));
    CHECK(list.at("devices").at(1).at("pci") == "0000:42:00.0");
    const std::string opened = machine.probe("open", "cuda:1").out; // this driver can do no more
    CHECK(holds(opened, "open unavailable"));
    CHECK(holds(opened, "cuDevicePrimaryCtxRetain returned 34"));
}

TEST_CASE("CUDA devices that no compiler serves") {
    CudaMachine machine("fake_libcuda.so");
    machine.environment["FAKE_NVRTC"] = "13000";
    machine.check("driver_too_old", "Fake GPU: the driver is for CUDA 12.4, too old for PTX of NVRTC 13.0");
    CHECK(holds(machine.entries().at(0).at("remedy"), "nvidia-cuda-nvrtc-cu12"));
    CHECK(machine.entries().at(0).at("pci") == "0000:41:00.0");
    CHECK(machine.devq({"list", "cuda"}).status == 3);
    machine.environment["FAKE_NVRTC"] = "12080"; // PTX may be no newer than the driver, machine code may
    machine.check("driver_too_old", "too old for PTX of NVRTC 12.8");
    machine.environment["FAKE_NVRTC_FIRST"] = "91";
    CHECK(machine.entries().empty());
    machine.environment["FAKE_NVRTC"] = "13000";
    machine.check("driver_too_old", "too old for code of NVRTC 13.0");
    machine.environment["FAKE_NVRTC"] = "12040";
    machine.environment["FAKE_NVRTC_FIRST"] = "100";
    machine.check("unsupported_architecture", "compute capability 9.1: NVRTC 12.4");
    machine.environment["DEVQ_NVRTC"] = "/nowhere/libnvrtc.so";
    machine.check("library_missing", "/nowhere/libnvrtc.so: cannot open shared object file");
    CHECK(holds(machine.entries().at(0).at("remedy"), "NVRTC"));
    machine.environment["DEVQ_NVRTC"] = support::standin("fake_libcuda.so").string();
    machine.check("symbol_missing", "undefined symbol: nvrtcVersion");
}
