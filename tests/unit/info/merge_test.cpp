// The program with devq's own modules, a driver of CUDA's and drivers of OpenCL's that are stand-ins: one GPU seen by
// both is one row.
#include "../devices/expect.hpp"
#include "../devices/support.hpp"
#include "../opencl/drivers.hpp"
#include <nlohmann/json.hpp>
#include <sstream>

namespace fs = std::filesystem;
using devq::opencl_test::DriverFolder;
using nlohmann::json;
using support::Result;

namespace {

class Machine {
public:
    Machine() : drivers(folder_.path / "drivers", support::build_folder() / "tests/unit/opencl/libdevq-test-icd.so") {
        fs::create_directory(folder_.path / "cache");
        fs::permissions(folder_.path / "cache", fs::perms::owner_all);
        environment = {{"OCL_ICD_VENDORS", drivers.path.string()},
                       {"DEVQ_CACHE_DIR", (folder_.path / "cache").string()},
                       {"LD_LIBRARY_PATH", (support::build_folder() / "tests/virtual_cuda").string()},
                       {"DEVQ_NVRTC", support::standin("fake_nvrtc.so").string()},
                       {"VIRTUAL_CUDA_DEVICES", "9.1,1024,0001:65:01"}};
        for (const char* name : {"DEVQ_DEVICE", "DEVQ_STRICT", "DEVQ_PROBE", "DEVQ_VIRTUAL_DEVICES",
                                 "CUDA_VISIBLE_DEVICES", "DEVQ_BACKEND_PATH"})
            environment[name] = support::unset;
    }
    Result devq(std::vector<std::string> words) const {
        words.insert(words.begin(), (support::build_folder() / "devq").string());
        return support::run(words, environment);
    }
    json list(const std::string& selector) const {
        const Result result = devq({"list", selector, "--json"});
        CHECK_MESSAGE((result.status == 0 || result.status == 3), result.err);
        return json::parse(result.out);
    }
    bool has_cuda() const {
        const bool built = fs::exists(support::build_folder() / "tests/virtual_cuda/libcuda.so.1");
        if (!built)
            std::puts("skipped: cuda: built without the CUDA backend");
        return built;
    }

private:
    support::Folder folder_;

public:
    DriverFolder drivers;
    std::map<std::string, std::string> environment;
};

/// The rows of a text list: lines that begin with an id.
std::size_t rows_of(const std::string& text) {
    std::istringstream lines(text);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);)
        for (const char* begin : {"* cuda:", "* opencl:", "  cuda:", "  opencl:"})
            rows += line.rfind(begin, 0) == 0 ? 1 : 0;
    return rows;
}

} // namespace

TEST_CASE("devq list nvidia has one row for the GPU of CUDA and OpenCL, devq list amd the AMD one") {
    Machine machine;
    if (!machine.has_cuda())
        return;
    machine.drivers.add("cards");
    const auto nvidia = machine.list("nvidia").at("devices");
    CAPTURE(nvidia.dump(2));
    REQUIRE(nvidia.size() == 1);
    CHECK(nvidia[0].at("id") == "cuda:0");
    CHECK(nvidia[0].at("backend") == "cuda");
    CHECK(nvidia[0].at("pci") == "0001:65:01.0");
    CHECK(nvidia[0].at("also") == json{"opencl:1"});
    CHECK(nvidia[0].at("default") == true);

    const auto amd = machine.list("amd").at("devices");
    REQUIRE(amd.size() == 1);
    CHECK(amd[0].at("id") == "opencl:0");
    CHECK(amd[0].at("name") == "AMD Radeon RX 6800 (gfx1030)");
    CHECK(amd[0].at("pci") == "0000:c3:00.1");
    CHECK(amd[0].at("also").empty());

    // The bus says the same of the third, by cl_khr_pci_bus_info: no other row.
    CHECK(machine.list("gpu").at("devices").size() == 3);
    const Result text = machine.devq({"list", "nvidia"});
    CHECK(text.status == 0);
    CHECK(rows_of(text.out) == 1);
    CHECK(holds(text.out, "* cuda:0"));
    CHECK(holds(text.out, "also opencl:1"));
    CHECK(holds(text.out, "0001:65:01.0"));
    CHECK(rows_of(machine.devq({"list", "amd"}).out) == 1);

    // The user's own order: OpenCL's row stands for both.
    const auto turned = machine.list("opencl,cuda").at("devices");
    REQUIRE(turned.size() == 3);
    CHECK(turned[1].at("id") == "opencl:1");
    CHECK(turned[1].at("also") == json{"cuda:0"});
    // Another place on the bus is another device.
    machine.environment["VIRTUAL_CUDA_DEVICES"] = "9.1,1024,0001:66:01";
    CHECK(machine.list("nvidia").at("devices").size() == 2);
}

TEST_CASE("two platforms of one name, and one without devices") {
    Machine machine;
    machine.drivers.add("cards");
    machine.drivers.add("plain");
    machine.drivers.add("plain", "second");
    machine.drivers.add("empty");
    const json list = machine.list("opencl");
    const json& devices = list.at("devices");
    CAPTURE(list.dump(2));
    REQUIRE(devices.size() == 5);
    CHECK(devices[3].at("name") == devices[4].at("name"));
    CHECK(devices[3].at("platform") == devices[4].at("platform"));
    CHECK(devices[3].at("id") != devices[4].at("id"));
    REQUIRE(list.at("unavailable").size() == 1);
    CHECK(list.at("unavailable")[0].at("backend") == "opencl");
    CHECK(list.at("unavailable")[0].at("code") == "no_device");
    CHECK(holds(list.at("unavailable")[0].at("reason"), "platform Stand-in platform"));
}
