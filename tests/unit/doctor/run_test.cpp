// `devq doctor` as a process: on this machine, with stand-ins for what runs, and with real Python.
#include "../devices/expect.hpp"
#include "../devices/machine.hpp"
#include "../opencl/drivers.hpp"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fs = std::filesystem;
using nlohmann::json;
using support::Machine;
using support::Result;
using support::unset;

namespace {

const std::map<std::string, std::string> plain{{"DEVQ_DEVICE", unset}, {"DEVQ_STRICT", unset}, {"DEVQ_PROBE", unset}};

Result doctor(std::vector<std::string> words, std::map<std::string, std::string> environment = plain) {
    words.insert(words.begin(), {(support::build_folder() / "devq").string(), "doctor"});
    return support::run(words, environment, std::chrono::seconds(90));
}

json finding(const json& document, const std::string& id) {
    for (const json& one : document.at("findings"))
        if (one.at("id") == id)
            return one;
    return nullptr;
}

std::size_t columns(const std::string& line) {
    return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// A folder for PYTHONPATH with one module.
void module(const fs::path& folder, const std::string& name, const std::string& text) {
    fs::create_directories(folder / name);
    std::ofstream(folder / name / "__init__.py") << text;
}

constexpr const char* fake_torch = R"(
__version__ = "2.6.0+cu124"
class version:
    cuda, hip = "12.4", None
class __config__:
    @staticmethod
    def show():
        return "PyTorch built with:\n  - CUDA Runtime 12.4\n  - CuDNN 90.1\n"
class cuda:
    @staticmethod
    def is_available():
        return False
    @staticmethod
    def init():
        raise RuntimeError("Found no NVIDIA driver on your system")
    @staticmethod
    def get_arch_list():
        return []
class backends:
    class cudnn:
        @staticmethod
        def version():
            return 90100
)";

} // namespace

TEST_CASE("this machine: a plain answer, and devices that were tried") {
    const Result result = doctor({"--json"});
    REQUIRE_MESSAGE(json::accept(result.out), result.out, result.err);
    const json document = json::parse(result.out);
    CAPTURE(document.dump(1));
    CHECK(result.status == (document.at("prevented").get<bool>() ? 1 : 0));
    const json& devices = document.at("devices");
    const auto cpu =
        std::find_if(devices.begin(), devices.end(), [](const json& one) { return one.at("id") == "cpu:0"; });
    REQUIRE(cpu != devices.end());
    CHECK(cpu->at("passed") == true);
    CHECK(document.at("sysroot").is_null());
    if (document.at("gpus").empty()) {
        CHECK(result.status == 0);
        CHECK(finding(document, "no_gpu").is_object());
    }
    const Result text = doctor({});
    CHECK(text.status == result.status);
    CHECK(holds(text.out, "cpu:0"));
    std::istringstream lines(text.out);
    for (std::string line; std::getline(lines, line);) {
        const bool verbatim = line.starts_with("   found") || line.starts_with("              "); // evidence, commands
        CHECK_MESSAGE((verbatim || columns(line) <= 80), line);
    }
}

TEST_CASE("areas, wrong usage, and a reader that goes away") {
    const json cpu = json::parse(doctor({"cpu", "--json"}).out);
    REQUIRE(cpu.at("devices").size() >= 1);
    for (const json& device : cpu.at("devices"))
        CHECK(device.at("id").get<std::string>().starts_with("cpu:"));
    CHECK(finding(cpu, "no_gpu").is_null());
    CHECK(doctor({"gpu"}).status == 2);
    CHECK(doctor({"--sysroot", "/nowhere"}).status == 2);
    CHECK(doctor({"python", "--sysroot", "/tmp"}).status == 2);
    CHECK(doctor({"--shell", "tcsh"}).status == 2);
    CHECK(holds(doctor({"--help"}).out, "--sysroot"));
    const std::string devq = (support::build_folder() / "devq").string();
    const Result piped = support::run({"/bin/sh", "-c", devq + " doctor --sysroot /etc | head -1"});
    CHECK(piped.status == 0);
    CHECK(piped.err.empty());
}

TEST_CASE("a device that opens and does nothing, and one that works no more") {
    Machine machine;
    machine.environment["FAKE_opencl"] = "Fake GPU|AMD|gpu|";
    const Result result = machine.devq({"doctor", "--json"});
    const json document = json::parse(result.out);
    CAPTURE(document.dump(1));
    CHECK(result.status == 1);
    const json failed = finding(document, "round_trip_failed");
    REQUIRE(failed.is_object());
    CHECK(holds(failed.at("evidence")[0], "opencl:0"));
    CHECK(failed.at("commands")[0] == "devq test --device opencl:0 --quick");
}

TEST_CASE("a driver that crashes is named and left out; unguarded it ends the trial, not doctor") {
    const auto library = support::build_folder() / "tests/unit/opencl/libdevq-test-icd.so";
    if (!fs::exists(library)) {
        std::puts("skipped: opencl: built without the OpenCL backend");
        return;
    }
    const support::Folder folder;
    const devq::opencl_test::DriverFolder drivers(folder.path / "drivers", library);
    drivers.add("load-abort");
    auto environment = plain;
    environment["OCL_ICD_VENDORS"] = drivers.path.string();
    environment["DEVQ_CACHE_DIR"] = folder.path.string();
    environment["CUDA_VISIBLE_DEVICES"] = unset;
    const json guarded = json::parse(doctor({"opencl", "--json"}, environment).out);
    CAPTURE(guarded.dump(1));
    const json crash = finding(guarded, "icd_crashes");
    REQUIRE(crash.is_object());
    CHECK(holds(crash.at("commands")[0], "load-abort.icd"));
    CHECK(holds(crash.at("evidence")[0], "signal 6"));

    environment["DEVQ_PROBE"] = "0";
    const Result result = doctor({"--json"}, environment);
    REQUIRE_MESSAGE(json::accept(result.out), result.out, result.err);
    const json unguarded = json::parse(result.out);
    CAPTURE(unguarded.dump(1));
    CHECK(result.status == 1);
    const json ended = finding(unguarded, "trial_ended");
    REQUIRE(ended.is_object());
    CHECK(holds(ended.at("evidence")[0], "opencl: listing: ended by signal 6"));
    // The others were tried all the same.
    CHECK(std::any_of(unguarded.at("devices").begin(), unguarded.at("devices").end(),
                      [](const json& one) { return one.at("id") == "cpu:0" && one.at("passed") == true; }));
}

TEST_CASE("an interpreter in the current folder is not taken for one on the PATH") {
    const support::Folder folder;
    const fs::path program = folder.path / "python3", here = fs::current_path();
    std::ofstream(program) << "#!/bin/sh\nexit 7\n";
    fs::permissions(program, fs::perms::owner_all);
    const auto told = [&](const std::string& path, const char* id) {
        auto environment = plain;
        environment["PATH"] = path;
        return finding(json::parse(doctor({"python", "--json"}, environment).out), id).is_object();
    };
    fs::current_path(folder.path);
    CHECK(told(".", "python_missing"));
    CHECK(told("./:", "python_missing"));
    CHECK(told(folder.path.string(), "python_crashes"));
    fs::current_path(here);
}

TEST_CASE("frameworks of a real interpreter: right, absent, broken, hanging") {
    const support::Folder folder;
    const auto python = [&](const char* limit = "30") {
        auto environment = plain;
        environment["PYTHONPATH"] = folder.path.string();
        const Result result = doctor({"python", "--json", "--timeout", limit}, environment);
        REQUIRE_MESSAGE(json::accept(result.out), result.out, result.err);
        return json::parse(result.out);
    };
    // Whatever is installed here, these come first.
    module(folder.path, "torch", fake_torch);
    module(folder.path, "tensorflow", "raise ImportError('libcudnn.so.9: cannot open shared object file')\n");
    const json document = python();
    CAPTURE(document.dump(1));
    const json& frameworks = document.at("python").at("frameworks");
    REQUIRE(frameworks.size() == 2);
    CHECK(frameworks[0].at("version") == "2.6.0+cu124");
    CHECK(frameworks[0].at("cuda") == "12.4");
    CHECK(frameworks[0].at("cudnn_loaded") == "9.1.0");
    CHECK(frameworks[0].at("sees_gpu") == false);
    CHECK(frameworks[1].at("state") == "broken");
    CHECK(holds(finding(document, "framework_broken").at("why"), "libcudnn.so.9"));
    CHECK_FALSE(document.at("python").at("version").is_null());
    if (document.at("gpus").empty())
        CHECK(finding(document, "framework_works").is_object());

    module(folder.path, "torch", "import time\ntime.sleep(60)\n");
    const auto begin = std::chrono::steady_clock::now();
    const json hanging = python("3");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    CHECK(hanging.at("python").at("frameworks")[0].at("state") == "hangs");
    CHECK(finding(hanging, "python_hangs").is_object());

    module(folder.path, "torch", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n");
    CHECK(python().at("python").at("frameworks")[0].at("state") == "crashes");
    // cuDNN of another version, in PyTorch's own words.
    std::string other = fake_torch;
    other.replace(
        other.find("return 90100"), 12,
        "raise RuntimeError('cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime "
        "version (8, 9, 2).')");
    module(folder.path, "torch", other);
    CHECK(finding(python(), "framework_cudnn_shadowed").is_object());
}
