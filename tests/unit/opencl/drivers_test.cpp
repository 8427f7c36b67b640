#include "../devices/support.hpp"
#include "drivers.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using devq::opencl_test::DriverFolder;
using namespace support;
namespace fs = std::filesystem;

namespace {

/// Drivers of its own, an empty cache, and what devq prints with them.
class Machine {
public:
    Machine() : drivers(folder_.path / "drivers", build_folder() / "tests/unit/opencl/libdevq-test-icd.so") {
        fs::create_directory(folder_.path / "cache");
        fs::permissions(folder_.path / "cache", fs::perms::owner_all);
        environment = {{"OCL_ICD_VENDORS", drivers.path.string()},
                       {"DEVQ_CACHE_DIR", (folder_.path / "cache").string()},
                       {"DEVQ_TEST_ICD_LOG", log()},
                       {"DEVQ_DEVICE", unset},
                       {"DEVQ_STRICT", unset},
                       {"DEVQ_PROBE", unset},
                       {"POCL_CACHE_DIR", (folder_.path / "cache").string()}};
    }

    nlohmann::json list(const std::string& selector) const {
        const Result done = run({tool_.string(), "list", selector, "--json"}, environment);
        CHECK_MESSAGE((done.status == 0 || done.status == 3), done.err);
        CHECK(done.err == "");
        return nlohmann::json::parse(done.out);
    }
    Result devq(const std::string& word) const { return run({tool_.string(), "list", word}, environment); }
    Result open(const std::vector<std::string>& selectors) const {
        std::vector<std::string> command{fs::read_symlink("/proc/self/exe"), "--open"};
        command.insert(command.end(), selectors.begin(), selectors.end());
        return run(command, environment);
    }

    /// devq in a folder with these files of the build (under another name after ':') instead of the build folder.
    void install(const std::vector<std::string>& files) {
        const fs::path place = folder_.path / "place";
        fs::create_directory(place);
        fs::copy_file(tool_, place / "tool"); // not "devq": the library looks for a folder of that name
        for (const std::string& file : files) {
            const auto colon = std::min(file.find(':'), file.size());
            const fs::path from = file.substr(0, colon);
            fs::copy_file(build_folder() / from,
                          place / (colon < file.size() ? file.substr(colon + 1) : from.filename().string()));
        }
        tool_ = place / "tool";
    }

    std::string log() const { return (folder_.path / "log").string(); }
    std::map<std::string, int> probes() const { return DriverFolder::loads(log(), "devq-probe"); }
    /// False, with a line for the counts, where PoCL is not installed.
    bool add_pocl() const {
        std::string library;
        std::ifstream file("/etc/OpenCL/vendors/pocl.icd");
        if (std::getline(file, library))
            drivers.add_file("pocl.icd", library + '\n');
        else
            std::puts("skipped: pocl: pocl-opencl-icd is not installed");
        return !library.empty();
    }

private:
    Folder folder_;
    fs::path tool_ = build_folder() / "devq";

public:
    DriverFolder drivers;
    std::map<std::string, std::string> environment;
};

int count_of(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

} // namespace

TEST_CASE("devq list amd and devq list nvidia show what the drivers have") {
    Machine machine;
    machine.drivers.add("gpus");
    const auto amd = machine.list("amd")["devices"];
    REQUIRE(amd.size() == 1);
    CHECK(amd[0]["name"] == "AMD Radeon RX 6800 (gfx1030)");
    CHECK(amd[0]["pci"] == "0000:c3:00.1");
    CHECK(amd[0]["type"] == "gpu");
    const auto nvidia = machine.list("nvidia")["devices"];
    REQUIRE(nvidia.size() == 1);
    CHECK(nvidia[0]["name"] == "NVIDIA H100");
    CHECK(nvidia[0]["pci"] == "0001:65:01.2");
    const Result text = machine.devq("amd");
    CHECK(text.status == 0);
    CHECK(text.out.find("Radeon RX 6800") != text.out.npos);
    CHECK(text.out.find("H100") == text.out.npos);
}

TEST_CASE("a GPU that CUDA and OpenCL both see is one row") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.install({"libdevq.so.0", "libdevq-opencl.so", "devq-probe",
                     "tests/unit/devices/modules/fake_backend.so:libdevq-cuda.so"});
    machine.environment["FAKE_cuda"] = "NVIDIA H100 PCIe|NVIDIA|gpu|0001:65:01.2";
    const auto rows = machine.list("nvidia")["devices"];
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["id"] == "cuda:0");
    CHECK(rows[0]["also"] == nlohmann::json{"opencl:1"});
    const auto all = machine.list("gpu")["devices"];
    CHECK(all.size() == 3);
}

TEST_CASE("two platforms of one name are two") {
    Machine machine;
    machine.drivers.add("plain");
    machine.drivers.add("plain", "second");
    const auto rows = machine.list("opencl")["devices"];
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["id"] == "opencl:0");
    CHECK(rows[1]["id"] == "opencl:1");
    CHECK(rows[0]["name"] == rows[1]["name"]);
    CHECK(rows[0]["platform"] == rows[1]["platform"]);
    CHECK(rows[0]["also"].empty()); // without an address nobody can tell that they were the same
    CHECK(machine.list("opencl:1")["devices"].size() == 1);
    // With one they are: a card seen through two drivers.
    Machine cards;
    cards.drivers.add("gpus");
    cards.drivers.add("gpus", "second");
    const auto merged = cards.list("amd")["devices"];
    REQUIRE(merged.size() == 1);
    CHECK(merged[0]["also"] == nlohmann::json{"opencl:3"});
}

TEST_CASE("a second process probes nothing") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.drivers.add("load-abort");
    using Counts = std::map<std::string, int>;
    const auto first = machine.list("opencl");
    CHECK(machine.probes() == Counts{{"gpus", 1}, {"load-abort", 1}});
    CHECK(machine.list("opencl") == first);
    CHECK(machine.probes() == Counts{});
    REQUIRE(first["unavailable"].size() >= 1);
    CHECK(first["unavailable"][0]["code"] == "crashed");
    CHECK(first["devices"].size() == 3);
}

TEST_CASE("that a driver is left out is said in one line, once, where a device is opened") {
    Machine machine;
    machine.drivers.add("load-abort");
    machine.drivers.add("ask-abort");
    const Result listed = machine.devq("opencl");
    CHECK(listed.status == 3);
    CHECK_MESSAGE(listed.err.find("left out") == listed.err.npos, listed.err); // the table says it
    CHECK(listed.out.find("crashed") != listed.out.npos);
    if (!machine.add_pocl())
        return;
    CHECK(machine.devq("opencl").err == "");
    const Result opened = machine.open({"opencl-cpu", "opencl-cpu", "opencl"});
    CHECK(opened.status == 0);
    CHECK(opened.out == "opencl:0\nopencl:0\nopencl:0\n");
    CHECK_MESSAGE(count_of(opened.err, "\n") == 1, opened.err);
    CHECK(count_of(opened.err, "left out drivers: ") == 1);
    CHECK(count_of(opened.err, "load-abort.icd") == 1);
    CHECK(count_of(opened.err, "ask-abort.icd") == 1);
    // Who never loads OpenCL has nothing to say about it; a fallback that tells the reason is enough.
    CHECK(machine.open({"cpu:0"}).err == "");
    const Result fallen = machine.open({"opencl:7,cpu"});
    CHECK(fallen.out == "cpu:0\n");
    CHECK_MESSAGE(count_of(fallen.err, "\n") == 1, fallen.err);
    CHECK(count_of(fallen.err, "load-abort.icd") == 1);
}

TEST_CASE("DEVQ_PROBE=0: the drivers are loaded as they are") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.environment["DEVQ_PROBE"] = "0";
    CHECK(machine.list("amd")["devices"].size() == 1);
    CHECK(machine.probes().empty());
    machine.drivers.add("load-abort");
    CHECK(machine.devq("opencl").status == 128 + 6);
    CHECK(machine.devq("cpu:0").status == 0);
}

TEST_CASE("without devq-probe beside it devq trusts the drivers, and says so") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.install({"libdevq.so.0", "libdevq-opencl.so"});
    const Result listed = machine.devq("amd");
    CHECK(listed.status == 0);
    CHECK(DriverFolder::loads(machine.log(), "tool") == std::map<std::string, int>{{"gpus", 1}});
    CHECK_MESSAGE(count_of(listed.err, "\n") == 1, listed.err); // where it was looked for, and what to do
    CHECK(count_of(listed.err, "devq-probe is in none of ") == 1);
    CHECK(count_of(listed.err, "/place/devq, ") == 1);
    CHECK(count_of(listed.err, "set DEVQ_PROBE to 0") == 1);
    machine.environment["DEVQ_PROBE"] = "0";
    CHECK(machine.list("amd")["devices"].size() == 1); // which wants nothing on stderr
}

TEST_CASE("a driver that hangs costs half of DEVQ_TIMEOUT, and the others stay") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.drivers.add("load-hang");
    machine.environment["DEVQ_TIMEOUT"] = "5";
    const auto listed = machine.list("opencl");
    CHECK(listed["devices"].size() == 3);
    REQUIRE(listed["unavailable"].size() >= 1);
    CHECK(listed["unavailable"][0]["code"] == "crashed");
    CHECK(count_of(listed["unavailable"][0]["reason"], "gave no answer within 2.5 s") == 1);
    using Counts = std::map<std::string, int>;
    CHECK(machine.probes() == Counts{{"gpus", 1}, {"load-hang", 1}});
    CHECK(machine.list("opencl") == listed);
    CHECK(machine.probes() == Counts{});
    machine.environment["DEVQ_TIMEOUT"] = "6"; // what was too slow may do with more
    machine.list("opencl");
    CHECK(machine.probes()["load-hang"] == 1);
}

TEST_CASE("a driver that hangs in devq's own process is given up as well") {
    Machine machine;
    machine.drivers.add("ask-hang");
    machine.environment["DEVQ_PROBE"] = "0";
    machine.environment["DEVQ_TIMEOUT"] = "1";
    const Result listed = machine.devq("opencl");
    CHECK(listed.status == 3);
    CHECK(count_of(listed.out, "its driver gave no answer within 1 s") == 1);
    CHECK(machine.devq("opencl,cpu").status == 0);
    const Result opened = machine.open({"opencl,cpu"});
    CHECK(opened.out == "cpu:0\n");
    CHECK(count_of(opened.err, "its driver gave no answer within 1 s): using cpu:0") == 1);
}

TEST_CASE("a devq-probe that cannot be run is told as one that is missing") {
    Machine machine;
    machine.drivers.add("gpus");
    machine.drivers.add("plain");
    machine.install({"libdevq.so.0", "libdevq-opencl.so"});
    const fs::path program = machine.drivers.path.parent_path() / "place/devq-probe";
    std::ofstream(program) << "no program\n";
    fs::permissions(program, fs::perms::owner_all);
    const Result listed = machine.devq("opencl");
    CHECK(listed.status == 0);
    CHECK_MESSAGE(count_of(listed.err, "\n") == 1, listed.err);
    CHECK(count_of(listed.err, "loaded untried") == 1);
    CHECK(count_of(listed.err, "place/devq-probe: Exec format error") == 1);
    CHECK(count_of(listed.err, "set DEVQ_PROBE to 0") == 1);
}
