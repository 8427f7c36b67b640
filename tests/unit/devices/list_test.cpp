#include "expect.hpp"
#include "machine.hpp"
#include <algorithm>
#include <devq/api.hpp>
#include <dlfcn.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using nlohmann::json;
using support::Machine;
using support::Result;

namespace {

json listed(const Machine& machine, const std::string& selector = {}) {
    const Result result = machine.devq(selector.empty() ? std::vector<std::string>{"list", "--json"}
                                                        : std::vector<std::string>{"list", selector, "--json"});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    return json::parse(result.out);
}

/// "cuda:0 (opencl:1) cpu:0*"
std::string ids(const json& list) {
    std::string text;
    for (const json& device : list.at("devices")) {
        text += (text.empty() ? "" : " ") + device.at("id").get<std::string>();
        for (const json& other : device.at("also"))
            text += "(" + other.get<std::string>() + ")";
        text += device.at("default").get<bool>() ? "*" : "";
    }
    return text;
}

/// The entry of a backend, or null.
json missing(const json& list, const std::string& backend) {
    for (const json& entry : list.at("unavailable"))
        if (entry.at("backend") == backend)
            return entry;
    return nullptr;
}

/// The one part of a list that the machine under the test has a say in: GPUs on its bus.
void drop_pci(json& list) {
    json kept = json::array();
    for (const json& entry : list.at("unavailable"))
        if (!entry.at("backend").is_null())
            kept.push_back(entry);
    list["unavailable"] = kept;
}

} // namespace

TEST_CASE("devq list --json on this machine has the promised fields") {
    const Result result = support::run({(support::build_folder() / "devq").string(), "list", "--json"},
                                       {{"DEVQ_DEVICE", support::unset}});
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    const json list = json::parse(result.out);
    CHECK(list.at("devq") == DEVQ_VERSION_STRING);
    bool has_cpu = false;
    std::size_t defaults = 0;
    for (const json& device : list.at("devices")) {
        has_cpu = has_cpu || device.at("id") == "cpu:0";
        defaults += device.at("default").get<bool>() ? 1 : 0;
        const std::string id = device.at("id"), backend = device.at("backend");
        CHECK(id.rfind(backend + ":", 0) == 0);
        CHECK_FALSE(device.at("name").get<std::string>().empty());
        CHECK_FALSE(device.at("vendor").get<std::string>().empty());
        CHECK(std::set<std::string>{"cpu", "gpu", "accelerator"}.count(device.at("type")) == 1);
        CHECK(device.at("memory_bytes").get<std::uint64_t>() > 0);
        CHECK(device.at("compute_units").get<unsigned>() > 0);
        CHECK((device.at("pci").is_null() || device.at("pci").is_string()));
        CHECK(device.at("also").is_array());
        CHECK_FALSE(device.at("dtypes").empty());
    }
    CHECK(has_cpu);
    CHECK(defaults == 1);
    const std::set<std::string> codes{
        "library_missing", "dependency_missing", "symbol_missing", "driver_too_old",        "driver_broken",
        "permission",      "no_device",          "crashed",        "hidden_by_environment", "unsupported_architecture"};
    for (const json& entry : list.at("unavailable")) {
        CAPTURE(entry.dump());
        CHECK(codes.count(entry.at("code")) == 1);
        CHECK_FALSE(entry.at("reason").get<std::string>().empty());
        CHECK_FALSE(entry.at("remedy").get<std::string>().empty());
        CHECK((entry.at("backend").is_string() || entry.at("pci").is_string()));
    }
    if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        dlclose(driver);
    } else {
        CHECK(missing(list, "cuda").at("code") == "library_missing");
        CHECK(holds(missing(list, "cuda").at("reason"), "libcuda.so.1: cannot open shared object file"));
    }
}

TEST_CASE("devices in the default order, one row a physical GPU, the default marked") {
    Machine machine;
    machine.environment["FAKE_cuda"] = "NVIDIA X|NVIDIA|gpu|0000:41:00.0";
    machine.environment["FAKE_opencl"] = "Old CPU|Intel|cpu|;NVIDIA X|NVIDIA "
                                         "Corporation|gpu|00000000:41:00.0;Y|Advanced Micro Devices, Inc.|gpu|0:5:0.0;"
                                         "Z|Maker|accelerator|";
    CHECK(ids(listed(machine)) == "cuda:0(opencl:1)* opencl:2 opencl:3 cpu:0 opencl:0");
    CHECK(listed(machine).at("devices").at(1).at("pci").is_string());
    CHECK(ids(listed(machine, "amd")) == "opencl:2");
    CHECK(ids(listed(machine, "opencl:1,cuda")) == "opencl:1(cuda:0)*");
    CHECK(ids(listed(machine, "cpu,opencl-cpu")) == "cpu:0 opencl:0"); // CUDA was not asked: the default is not known
    machine.environment["DEVQ_DEVICE"] = "amd,cpu";
    CHECK(ids(listed(machine)) == "cuda:0(opencl:1) opencl:2* opencl:3 cpu:0 opencl:0");
    machine.environment["DEVQ_DEVICE"] = "opencl:1"; // marked in the row that stands for it
    CHECK(ids(listed(machine)) == "cuda:0(opencl:1)* opencl:2 opencl:3 cpu:0 opencl:0");
    machine.environment["DEVQ_DEVICE"] = "cpu";
    CHECK(ids(listed(machine, "cpu")) == "cpu:0*");
}

TEST_CASE("a backend is loaded only when the selector needs it") {
    const Machine machine;
    CHECK(ids(listed(machine, "cpu:0")) == "cpu:0");
    CHECK(machine.log() == "enumerate cpu\n");
    machine.clear_log();
    CHECK(holds(machine.probe("open", "cpu:0").out, "open good cpu:0"));
    CHECK(machine.log() == "enumerate cpu\nopen cpu\n");
    machine.clear_log();
    CHECK(ids(listed(machine, "!gpu,!opencl")) == "cpu:0");
    CHECK(machine.log() == "enumerate cpu\n");
    machine.clear_log();
    CHECK(machine.devq({"list", "opencl-cpu"}).status == 3);
    CHECK(machine.log() == "enumerate opencl\n");
}

TEST_CASE("what is broken is an entry of its own and takes nothing along") {
    Machine machine({{"libdevq-cuda.so", "standin-version.so"},
                     {"libdevq-opencl.so", "standin-library.so"},
                     {"libdevq-cpu.so", "fake_backend.so"}});
    json list = listed(machine);
    CHECK(ids(list) == "cpu:0*");
    CHECK(missing(list, "cuda").at("code") == "driver_broken");
    CHECK(missing(list, "opencl").at("code") == "library_missing");

    Machine throwing;
    throwing.environment["FAKE_opencl_THROW"] = "the driver is beside itself";
    throwing.environment["FAKE_cuda_MISSING"] = "permission|/dev/fake: permission denied";
    list = listed(throwing);
    CHECK(ids(list) == "cpu:0*");
    CHECK(missing(list, "opencl").at("code") == "driver_broken");
    CHECK(missing(list, "opencl").at("reason") == "the driver is beside itself");
    CHECK(missing(list, "cuda").at("code") == "permission");
    CHECK(missing(list, "cuda").count("pci") == 0);
    list = listed(throwing, "cpu");
    drop_pci(list);
    CHECK(list.at("unavailable").empty()); // of the backends that the selector names
}

TEST_CASE("modules lie beside the library, in devq/ beside it, or in DEVQ_BACKEND_PATH") {
    Machine machine({{"devq/libdevq-cpu.so", "fake_backend.so"}, {"more/libdevq-opencl.so", "fake_backend.so"}});
    machine.environment["FAKE_opencl"] = "A|B|gpu|";
    CHECK(ids(listed(machine)) == "cpu:0*");
    CHECK(missing(listed(machine), "opencl").at("code") == "library_missing");
    machine.environment["DEVQ_BACKEND_PATH"] = (machine.path() / "more").string();
    CHECK(ids(listed(machine)) == "opencl:0* cpu:0");
    // never the folder that the user happens to be in
    const std::string script =
        "cd '" + (machine.path() / "more").string() + "' && DEVQ_BACKEND_PATH=.: ../tool list --json";
    const Result inside = support::run({"/bin/sh", "-c", script}, machine.environment);
    CHECK(ids(json::parse(inside.out)) == "cpu:0*");
}

TEST_CASE("exit codes and messages of wrong use") {
    const Machine machine;
    struct Case {
        std::vector<std::string> words;
        int status;
        std::vector<std::string> says;
    };
    const Case cases[] = {
        {{}, 2, {"a command is needed", "Usage: devq", "list"}},
        {{"lsit"}, 2, {"no command \"lsit\"", "Usage: devq"}},
        {{"list", "--jsn"}, 2, {"--jsn", "Usage: devq list"}},
        {{"list", "cpu", "cpu"}, 2, {"Usage: devq list"}},
        {{"list", "cpu,foo"}, 2, {"  cpu,foo\n      ^\n", "atom := backend[':'N]"}},
        {{"list", "cuda"}, 3, {"no device matches \"cuda\""}},
        {{"list", "name:nothing"}, 3, {"no device matches"}},
    };
    for (const Case& wrong : cases) {
        const Result result = machine.devq(wrong.words);
        CAPTURE(result.err);
        CHECK(result.status == wrong.status);
        for (const std::string& part : wrong.says)
            CHECK(holds(result.err, part));
    }
    const Result none = machine.devq({"list", "--json", "cuda"});
    CHECK(none.status == 3);
    CHECK(json::parse(none.out).at("devices").empty());

    Machine wrong;
    wrong.environment["DEVQ_DEVICE"] = "cpu,foo";
    const Result result = wrong.devq({"list"});
    CHECK(result.status == 2);
    CHECK(holds(result.err, "DEVQ_DEVICE"));

    CHECK(holds(machine.devq({"--version"}).out, "devq " DEVQ_VERSION_STRING));
    CHECK(machine.devq({"--version"}).status == 0);
    CHECK(holds(machine.devq({"list", "--help"}).out, "Usage: devq list"));
    CHECK(machine.devq({"list", "--help"}).status == 0);
}

TEST_CASE("a reader that goes away is no failure, a full disk is one") {
    const Machine machine;
    const std::string tool = (machine.path() / "tool").string(), file = (machine.path() / "status").string();
    support::run({"/bin/sh", "-c", "(sleep 0.3; '" + tool + "' list; echo $? >'" + file + "') | :"},
                 machine.environment);
    std::string status;
    std::ifstream(file) >> status;
    CHECK(status == "0");
    const Result full = support::run({"/bin/sh", "-c", "'" + tool + "' list >/dev/full"}, machine.environment);
    CHECK(full.status == 4);
    CHECK(holds(full.err, "standard output"));
}

TEST_CASE("text fits 80 columns, takes no colour off a terminal, and hides no control characters") {
    Machine machine;
    const std::string odd =
        "Evil\x1b[31m \xc3\xa4 \xff name that is far too long for one line of a terminal, by a lot indeed";
    machine.environment["FAKE_opencl"] = odd + "|Vendor\twith a tab|accelerator|0000:0a:00.0";
    machine.environment["FAKE_cuda_MISSING"] =
        "no_device|" + std::string(300, 'x') + " a reason\nof several lines, " + odd;
    machine.environment["TERM"] = "xterm-256color";
    const Result result = machine.devq({"list"});
    CHECK(result.status == 0);
    CHECK_FALSE(holds(result.out, "\x1b"));
    CHECK_FALSE(holds(result.out, "\xff"));
    CHECK(holds(result.out, "* opencl:0"));
    CHECK(holds(result.out, "Evil [31m ä ? name"));
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
        if (!holds(line, "xxx")) // one word longer than a line keeps a line to itself
            CHECK(columns <= 80);
    }
    CHECK(listed(machine).at("devices").at(0).at("name").get<std::string>().rfind("Evil\x1b[31m \xc3\xa4 \xef\xbf\xbd",
                                                                                  0) == 0);
}
