// `devq info` as a process: on the processors, on PoCL, on a driver that lies, on the stand-in for CUDA's driver.
#include "../devices/expect.hpp"
#include "../devices/machine.hpp"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

namespace fs = std::filesystem;
using nlohmann::json;
using support::Machine;
using support::Result;
using support::unset;

namespace {

/// The built program with variables that do not depend on who runs the test; kernels built once for all cases.
Result tool(const std::vector<std::string>& words, std::map<std::string, std::string> variables = {}) {
    static const support::Folder folder;
    fs::permissions(folder.path, fs::perms::owner_all);
    std::vector<std::string> command{(support::build_folder() / "devq").string()};
    command.insert(command.end(), words.begin(), words.end());
    for (const char* name : {"DEVQ_DEVICE", "DEVQ_STRICT", "DEVQ_VIRTUAL_DEVICES", "DEVQ_CPU_ISA", "OCL_ICD_VENDORS"})
        variables.emplace(name, unset);
    variables.emplace("DEVQ_CACHE_DIR", folder.path.string());
    variables.emplace("POCL_CACHE_DIR", folder.path.string());
    return support::run(command, variables);
}

/// The one device of a document that must be good.
json only(const Result& result) {
    CAPTURE(result.err);
    CAPTURE(result.out);
    REQUIRE(result.status == 0);
    const json document = json::parse(result.out);
    CHECK(document.at("devq").is_string());
    CHECK(document.at("unavailable").is_array());
    REQUIRE(document.at("devices").size() >= 1);
    return document.at("devices").at(0);
}

/// "yes yes agrees", as one word for each.
std::string found(const json& device, const std::string& name) {
    const json& one = device.at("capabilities").at(name);
    const auto word = [](const json& value) {
        return value.is_boolean() ? (value.get<bool>() ? std::string("yes") : "no") : value.dump();
    };
    return word(one.at("advertised")) + " " + word(one.at("verified")) + " " + one.at("verdict").get<std::string>();
}

void check_shape(const json& device) {
    for (const char* field :
         {"id", "backend", "name", "vendor", "type", "memory_bytes", "compute_units", "pci", "platform", "dtypes",
          "also", "virtual", "limits", "capabilities", "versions", "readings", "environment", "error"}) {
        CAPTURE(field);
        CHECK(device.contains(field));
    }
    const std::set<std::string> verdicts{"agrees", "lies", "exceeds", "unclaimed", "untried"};
    for (const auto& item : device.at("capabilities").items()) {
        const json& one = item.value();
        CAPTURE(item.key());
        CHECK(verdicts.count(one.at("verdict")) == 1);
        CHECK((one.at("verdict") != "lies" || one.at("reason").is_string()));
    }
    for (const char* name :
         {"f16_storage", "f16_vectors", "bf16_storage", "f64", "f16_arithmetic", "local_memory_bytes",
          "max_group_items", "atomics_32", "atomics_64", "printf", "event_timing", "queue_concurrency"}) {
        CAPTURE(name);
        CHECK(device.at("capabilities").contains(name));
    }
}

/// The library of PoCL; empty, with a line for the counts, where it is not installed.
std::string pocl() {
    std::string library;
    std::ifstream file("/etc/OpenCL/vendors/pocl.icd");
    if (!std::getline(file, library))
        std::puts("skipped: pocl: pocl-opencl-icd is not installed");
    return library;
}

} // namespace

TEST_CASE("the processors keep what they promise") {
    const json device = only(tool({"info", "cpu:0", "--json"}, {{"DEVQ_STRICT", "0"}, {"DEVQ_ODD", "a b"}}));
    CAPTURE(device.dump(2));
    check_shape(device);
    CHECK(device.at("id") == "cpu:0");
    CHECK(device.at("error").is_null());
    for (const char* name : {"f16_storage", "f16_vectors", "bf16_storage", "f64", "atomics_32", "atomics_64",
                             "mapped_memory", "printf", "event_timing"})
        CHECK(std::string(name) + ": " + found(device, name) == std::string(name) + ": yes yes agrees");
    const json& capabilities = device.at("capabilities");
    for (const char* name : {"local_memory_bytes", "max_group_items"}) {
        CHECK(capabilities.at(name).at("advertised").get<std::uint64_t>() >= 256);
        CHECK(capabilities.at(name).at("verified") == capabilities.at(name).at("advertised"));
    }
    CHECK(found(device, "f16_arithmetic") == "no null untried");
    CHECK(capabilities.at("queue_concurrency").at("verdict") == "unclaimed");
    CHECK_FALSE(capabilities.contains("pinned_memory"));
    CHECK(device.at("limits").at("max_group").size() == 3);
    CHECK(device.at("limits").at("device_class").get<std::string>().rfind("cpu-v", 0) == 0);
    CHECK(device.at("versions").at("instruction_set").get<std::string>().size() > 3);
    CHECK(device.at("versions").at("host_compiler").get<std::string>().find('/') == 0);
    const json& environment = device.at("environment");
    CHECK(environment.at("DEVQ_STRICT") == "0");
    CHECK(environment.at("DEVQ_ODD") == "a b"); // perhaps a word misspelt: shown
    CHECK(environment.at("DEVQ_DEVICE").is_null());
    CHECK_FALSE(environment.contains("CUDA_VISIBLE_DEVICES")); // other backends' business
    CHECK(device.at("readings").is_null());
}

TEST_CASE("text for people: aligned, 80 columns, no colours off a terminal") {
    const Result result = tool({"info", "cpu:0"}, {{"TERM", "xterm"}, {"DEVQ_STRICT", "1"}});
    CAPTURE(result.out);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK_FALSE(holds(result.out, "\x1b"));
    CHECK(result.out.rfind("cpu:0  ", 0) == 0);
    CHECK(holds(result.out, "advertised"));
    CHECK(holds(result.out, "DEVQ_STRICT=1"));
    CHECK(holds(result.out, "not set: DEVQ_DEVICE"));
    std::istringstream lines(result.out);
    std::size_t aligned = 0;
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }) <= 80);
        aligned += line.size() > 46 && line.compare(34, 3, "yes") == 0 && line.compare(46, 3, "yes") == 0 ? 1 : 0;
    }
    CHECK(aligned >= 6);
}

TEST_CASE("PoCL, asked and tried") {
    if (pocl().empty())
        return;
    const json device = only(tool({"info", "opencl-cpu", "--json"}, {{"POCL_DEBUG", "0"}}));
    CAPTURE(device.dump(2));
    check_shape(device);
    for (const char* name : {"f16_storage", "f16_vectors", "bf16_storage", "f64", "atomics_32", "atomics_64", "printf",
                             "mapped_memory", "event_timing"})
        CHECK(std::string(name) + ": " + found(device, name) == std::string(name) + ": yes yes agrees");
    for (const char* name : {"local_memory_bytes", "max_group_items"})
        CHECK(device.at("capabilities").at(name).at("verdict") == "agrees");
    CHECK(holds(device.at("versions").at("platform"), "Portable Computing Language"));
    for (const char* name : {"device", "opencl_c", "driver"})
        CHECK_FALSE(device.at("versions").at(name).get<std::string>().empty());
    CHECK(device.at("environment").at("POCL_DEBUG") == "0");
    CHECK(device.at("environment").at("OCL_ICD_VENDORS").is_null());
}

TEST_CASE("a driver that lies is found out") {
    const std::string library = pocl();
    const auto lying = support::build_folder() / "tests/unit/info/libdevq-lying-icd.so";
    if (!library.empty() && !fs::exists(lying))
        std::puts("skipped: lying: built without the OpenCL backend");
    if (library.empty() || !fs::exists(lying))
        return;
    const support::Folder folder;
    std::ofstream(folder.path / "lying.icd") << lying.string() << '\n';
    const std::map<std::string, std::string> variables{{"OCL_ICD_VENDORS", folder.path.string()},
                                                       {"DEVQ_TEST_LYING_ICD", library}};
    const json device = only(tool({"info", "opencl", "--json"}, variables));
    CAPTURE(device.dump(2));
    CHECK(found(device, "f16_arithmetic") == "yes no lies");
    const json& group = device.at("capabilities").at("max_group_items");
    CHECK(group.at("verdict") == "lies");
    CHECK(group.at("verified").get<std::uint64_t>() * 2 == group.at("advertised").get<std::uint64_t>());
    CHECK_FALSE(group.at("reason").get<std::string>().empty());
    CHECK(found(device, "f64") == "yes yes agrees");
    CHECK(device.at("environment").at("OCL_ICD_VENDORS") == folder.path.string());

    const Result text = tool({"info", "opencl"}, variables);
    CHECK(text.status == 0);
    std::istringstream lines(text.out);
    std::size_t lies = 0;
    for (std::string line; std::getline(lines, line);)
        if (holds(line, "lies")) {
            ++lies;
            CHECK((holds(line, "native f16 arithmetic") || holds(line, "work-items in a work-group")));
        }
    CHECK(lies == 2);
}

TEST_CASE("a kernel that never ends: what was found until then, and in which trial it was") {
    const std::string library = pocl();
    const auto lying = support::build_folder() / "tests/unit/info/libdevq-lying-icd.so";
    if (library.empty() || !fs::exists(lying))
        return; // the test above says so
    const support::Folder folder;
    std::ofstream(folder.path / "lying.icd") << lying.string() << '\n';
    const std::map<std::string, std::string> variables{{"OCL_ICD_VENDORS", folder.path.string()},
                                                       {"DEVQ_TEST_LYING_ICD", library},
                                                       {"DEVQ_TEST_HANGING_KERNEL", "devq_print"},
                                                       {"DEVQ_TIMEOUT", "20"}};
    // The printing trial has led stdout aside: the document must come out where it belongs.
    const Result result = tool({"info", "opencl", "--json"}, variables);
    CAPTURE(result.err);
    REQUIRE(result.status == 4);
    const json device = json::parse(result.out).at("devices").at(0);
    CAPTURE(device.dump(2));
    CHECK(device.at("error") == "the driver gave no answer within 20 s while \"printf in kernels\" was tried");
    CHECK(found(device, "f16_storage") == "yes yes agrees");
    CHECK(device.at("capabilities").at("printf").at("verdict") == "untried");
    CHECK(device.at("capabilities").at("event_timing").at("verdict") == "untried");
}

TEST_CASE("the stand-in for CUDA's driver") {
    const fs::path driver = support::build_folder() / "tests/virtual_cuda";
    if (!fs::exists(driver / "libcuda.so.1")) {
        std::puts("skipped: cuda: built without the CUDA backend");
        return;
    }
    const std::map<std::string, std::string> variables{{"LD_LIBRARY_PATH", driver.string()},
                                                       {"VIRTUAL_CUDA_DEVICES", "8.1,256,0042:05:00"},
                                                       {"CUDA_VISIBLE_DEVICES", unset}};
    const Result listed = tool({"list", "cuda", "--json"}, variables);
    if (listed.status == 3 && holds(listed.out, "nvrtc")) {
        std::puts("skipped: nvrtc: no NVRTC on this machine");
        return;
    }
    const json device = only(tool({"info", "cuda:0", "--json"}, variables));
    CAPTURE(device.dump(2));
    check_shape(device);
    CHECK(device.at("pci") == "0042:05:00.0");
    for (const char* name : {"f16_storage", "f16_vectors", "bf16_storage", "f64", "atomics_32", "atomics_64",
                             "pinned_memory", "event_timing"})
        CHECK(std::string(name) + ": " + found(device, name) == std::string(name) + ": yes yes agrees");
    CHECK(device.at("capabilities").at("max_group_items").at("verified") == 1024);
    CHECK(device.at("capabilities").at("local_memory_bytes").at("verdict") == "agrees");
    CHECK(device.at("versions").at("driver") == "for CUDA 13.0");
    CHECK(holds(device.at("versions").at("nvrtc"), "libnvrtc"));
    CHECK(holds(device.at("versions").at("compiles_for"), "compute_80 (PTX"));
    CHECK(device.at("environment").at("CUDA_VISIBLE_DEVICES").is_null());
    CHECK(device.at("environment").at("LD_LIBRARY_PATH") == driver.string());
    CHECK(holds(device.at("versions").at("nvml"), "of driver 580.65.06 (/"));
    const json& now = device.at("readings");
    CHECK(now.at("source") == "nvml");
    CHECK(now.at("uuid") == "GPU-64657671-f001-0203-0405-060708090a00");
    CHECK(now.at("memory_total_bytes") == std::uint64_t{256} << 20);
    CHECK(now.at("memory_used_bytes") == 512u << 10); // taken before the device was opened
    CHECK(now.at("load_percent") == 30);
    CHECK(now.at("temperature_celsius") == 40);
    CHECK(now.at("power_watts") == 61.5);
    CHECK(now.at("max_memory_clock_mhz") == 2619);
    CHECK(now.at("processes").at(1) == json({{"pid", 4000001}, {"memory_bytes", nullptr}}));
    CHECK(now.at("absent").empty());
    const std::string text = tool({"info", "cuda:0"}, variables).out;
    CAPTURE(text);
    for (const char* line :
         {"  UUID            GPU-64657671-f001-0203-0405-060708090a00\n", "  memory in use   512.0 KiB of 256.0 MiB\n",
          "  load            30 %, of its memory 10 %\n", "  temperature     40 °C\n",
          "  power           61.5 W, at most 350.0 W\n",
          "  clocks          1410 MHz of 1980 MHz, memory 1593 MHz of 2619 MHz\n"})
        CHECK_MESSAGE(holds(text, line), line);

    auto poorer = variables; // a part of a GPU, and no power reading
    poorer["VIRTUAL_NVML"] = "part";
    const json less = only(tool({"info", "cuda:0", "--json"}, poorer)).at("readings");
    CHECK(less.at("uuid") == "MIG-64657671-f001-0203-0405-060708090a00");
    CHECK(less.at("memory_total_bytes") == std::uint64_t{256} << 20);
    for (const char* name : {"load_percent", "temperature_celsius", "power_watts", "clock_mhz"}) {
        CHECK(less.at(name).is_null());
        CHECK(holds(less.at("absent").at(name), "Not Supported"));
    }

    // A device that is lost on the way: what was found until then is shown, and the command has failed.
    auto broken = variables;
    broken["VIRTUAL_CUDA_FAULTS"] = "kernel@2=700";
    const Result lost = tool({"info", "cuda:0", "--json"}, broken);
    CHECK(lost.status == 4);
    const json part = json::parse(lost.out).at("devices").at(0);
    CHECK(holds(part.at("error"), "device was lost"));
    CHECK(found(part, "f16_storage") == "yes yes agrees");
    CHECK(part.at("capabilities").at("max_group_items").at("verdict") == "untried");
}

TEST_CASE("devq list --json on the stand-in: a driver too old, devices hidden, two devices; devq info: half a cuDNN") {
    const fs::path driver = support::build_folder() / "tests/virtual_cuda";
    if (!fs::exists(driver / "libcuda.so.1")) {
        std::puts("skipped: cuda: built without the CUDA backend");
        return;
    }
    std::map<std::string, std::string> variables{{"LD_LIBRARY_PATH", driver.string()},
                                                 {"VIRTUAL_CUDA_DEVICES", "8.1,64,0000:41:00;9.1,128,0000:42:00"},
                                                 {"CUDA_VISIBLE_DEVICES", unset}};
    const Result listed = tool({"list", "cuda", "--json"}, variables);
    if (listed.status == 3 && holds(listed.out, "nvrtc")) {
        std::puts("skipped: nvrtc: no NVRTC on this machine");
        return;
    }
    const json two = json::parse(listed.out);
    REQUIRE(two.at("devices").size() == 2);
    CHECK(two.at("unavailable").empty());
    for (const auto& [index, pci, mebi] : {std::tuple{0u, "0000:41:00.0", 64u}, std::tuple{1u, "0000:42:00.0", 128u}}) {
        CHECK(two.at("devices").at(index).at("pci") == pci);
        CHECK(two.at("devices").at(index).at("memory_bytes") == std::uint64_t{mebi} << 20);
    }

    const auto missing = [&](const char* name, const char* value) {
        auto changed = variables;
        changed[name] = value;
        const Result result = tool({"list", "cuda", "--json"}, changed);
        CHECK(result.status == 3);
        const json document = json::parse(result.out);
        CHECK(document.at("devices").empty());
        REQUIRE(document.at("unavailable").size() >= 1);
        return document.at("unavailable");
    };
    const json hidden = missing("CUDA_VISIBLE_DEVICES", "").at(0);
    CHECK(hidden.at("code") == "hidden_by_environment");
    CHECK(holds(hidden.at("reason"), "CUDA_VISIBLE_DEVICES=\"\" hides every device"));
    CHECK(holds(hidden.at("remedy"), "Unset CUDA_VISIBLE_DEVICES"));
    // This machine's NVRTC is of a toolkit that CUDA 11.0's driver is too old for; the reason has both versions.
    const json old = missing("VIRTUAL_CUDA_VERSION", "11000");
    REQUIRE(old.size() == 2);
    for (const json& entry : old) {
        CHECK(entry.at("code") == "driver_too_old");
        CHECK(holds(entry.at("reason"), "the driver is for CUDA 11.0, too old for "));
        CHECK(holds(entry.at("reason"), " of NVRTC 1"));
        CHECK(holds(entry.at("remedy"), "Update the driver"));
    }
    if (holds(old.at(0).at("reason"), "NVRTC 13.")) {
        const json entry = missing("VIRTUAL_CUDA_VERSION", "12020").at(0);
        CHECK(entry.at("code") == "driver_too_old");
        CHECK(holds(entry.at("reason"), "the driver is for CUDA 12.2, too old for PTX of NVRTC 13."));
        CHECK(holds(entry.at("remedy"), "install the NVRTC of CUDA 12"));
    }

    const support::Folder folder;
    const fs::path cudnn = folder.path / "libcudnn.so.9"; // away from what it needs
    fs::copy_file(support::standin("fake_libcuda_dependent.so"), cudnn);
    variables["DEVQ_CUDNN"] = cudnn.string();
    const json device = only(tool({"info", "cuda:0", "--json"}, variables));
    CHECK(device.at("error").is_null());
    CHECK(found(device, "f16_storage") == "yes yes agrees"); // kernels run
    CHECK(holds(device.at("versions").at("cudnn"), "libdevq_test_vendor.so: cannot open"));
}

TEST_CASE("each device that the selector takes; one that does not open is an entry with its error, and exit code 4") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "Bad!|AMD|gpu|0000:05:00.0";
    const Result result = machine.devq({"info", "gpu", "--json"});
    CHECK(result.status == 4);
    const json device = json::parse(result.out).at("devices").at(0);
    CHECK(device.at("name") == "Bad!");
    CHECK(holds(device.at("error"), "it does not wake up"));
    CHECK(device.at("limits").is_null());
    CHECK(device.at("capabilities").empty());
    const Result text = machine.devq({"info", "gpu"});
    CHECK(text.status == 4);
    CHECK(holds(text.out, "failed: "));
    CHECK(holds(text.out, "PCI             0000:05:00.0"));

    const Result none = machine.devq({"info", "cuda", "--json"});
    CHECK(none.status == 3);
    CHECK(json::parse(none.out).at("devices").empty());
    CHECK(holds(none.err, "devq info: no device matches \"cuda\""));
    machine.environment["FAKE_cuda_MISSING"] = "driver_too_old|from last century";
    const Result why = machine.devq({"info", "cuda"});
    CHECK(why.status == 3);
    CHECK(holds(why.out, "from last century"));
    CHECK(machine.devq({"info", "cpu,foo"}).status == 2);
    CHECK(machine.devq({"info", "cpu", "opencl"}).status == 2);
    CHECK(holds(machine.devq({"info", "--help"}).out, "Usage: devq info"));
    CHECK(holds(machine.devq({"--help"}).out, "info"));
}
