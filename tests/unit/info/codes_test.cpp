// Every code of `devq list` comes from a machine that has what it means, with a reason and a remedy; and the table in
// docs/cli.md is the one that the program has.
#include "../devices/expect.hpp"
#include "../devices/machine.hpp"
#include "unavailable.hpp"
#include "variables.hpp"
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fs = std::filesystem;
using nlohmann::json;
using support::Machine;

namespace {

/// devq's own CUDA module with the library `driver` of the tests in front of the system's; none where it is empty.
Machine& with_driver(Machine& machine, const std::string& driver) {
    fs::copy_file(support::build_folder() / "libdevq-cuda.so", machine.path() / "libdevq-cuda.so");
    fs::create_directory(machine.path() / "driver");
    if (!driver.empty())
        fs::copy_file(support::standin(driver), machine.path() / "driver/libcuda.so.1");
    machine.environment["LD_LIBRARY_PATH"] = (machine.path() / "driver").string();
    machine.environment["DEVQ_NVRTC"] = support::standin("fake_nvrtc.so").string();
    return machine;
}

/// What `devq list BACKEND` says of that backend.
json entry_of(const Machine& machine, const std::string& backend) {
    const auto list = json::parse(machine.devq({"list", backend + ",cpu", "--json"}).out);
    for (const json& entry : list.at("unavailable"))
        if (entry.at("backend") == backend)
            return entry;
    return nullptr;
}

const std::map<std::string, std::string> others{{"libdevq-opencl.so", "fake_backend.so"},
                                                {"libdevq-cpu.so", "fake_backend.so"}};

json cuda(const std::string& driver, const std::map<std::string, std::string>& variables = {}) {
    Machine machine(others);
    with_driver(machine, driver);
    for (const auto& [name, value] : variables)
        machine.environment[name] = value;
    return entry_of(machine, "cuda");
}

std::string words_of(const json& entry) {
    return entry.is_null() ? "" : entry.at("reason").get<std::string>() + " → " + entry.at("remedy").get<std::string>();
}

/// The cells of the table in docs/cli.md whose first line begins with `head`, its lines that begin with `row` alone.
std::vector<std::vector<std::string>> table_of(const std::string& head, const std::string& row) {
    std::ifstream file(support::build_folder() / "tests/unit/info/cli.md");
    std::vector<std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(head, 0) == 0) {
            inside = true;
        } else if (inside && line.rfind(row, 0) == 0) {
            std::vector<std::string> cells;
            std::istringstream stream(line.substr(1));
            for (std::string cell; std::getline(stream, cell, '|');) {
                const auto begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
                if (begin != std::string::npos)
                    cells.push_back(cell.substr(begin, end - begin + 1));
            }
            rows.push_back(cells);
        } else if (inside && line.rfind("| ", 0) != 0) {
            break;
        }
    }
    return rows;
}

} // namespace

TEST_CASE("a machine for each code") {
    struct Fixture {
        std::string code;
        std::function<json()> list;
        std::string says;
    };
    const Fixture fixtures[] = {
        {"library_missing",
         [] {
             return cuda("fake_libcuda.so", {{"DEVQ_NVRTC", "/nowhere/libnvrtc.so"}});
         },
         "/nowhere/libnvrtc.so"},
        {"library_missing", [] { return entry_of(Machine(others), "cuda"); }, "libdevq-cuda.so: not found"},
        {"dependency_missing", [] { return cuda("fake_libcuda_dependent.so"); }, "libdevq_test_vendor.so"},
        {"symbol_missing", [] { return cuda("fake_libcuda_alloc.so"); }, "cuMemAlloc_v2"},
        {"driver_too_old",
         [] {
             return cuda("fake_libcuda.so", {{"FAKE_CUINIT", "803"}});
         },
         "different versions"},
        {"driver_broken", [] { return cuda("fake_libcuda_stub.so"); }, "stub library"},
        {"permission",
         [] {
             return cuda("fake_libcuda.so", {{"FAKE_CUINIT", "800"}});
         },
         "not permitted"},
        {"hidden_by_environment",
         [] {
             return cuda("fake_libcuda.so", {{"FAKE_CUINIT", "100"}, {"CUDA_VISIBLE_DEVICES", "-1"}});
         },
         "Unset CUDA_VISIBLE_DEVICES"},
        {"no_device",
         [] {
             return cuda("fake_libcuda.so", {{"FAKE_CUINIT", "100"}});
         },
         "no CUDA device"},
        {"unsupported_architecture",
         [] {
             return cuda("fake_libcuda.so", {{"FAKE_NVRTC", "12040"}, {"FAKE_NVRTC_FIRST", "100"}});
         },
         "compute capability 9.1"},
        {"crashed",
         [] {
             Machine machine(others);
             fs::remove(machine.path() / "libdevq-opencl.so");
             for (const char* file : {"libdevq-opencl.so", "devq-probe"})
                 if (fs::exists(support::build_folder() / file))
                     fs::copy_file(support::build_folder() / file, machine.path() / file);
             const auto drivers = machine.path() / "drivers", cache = machine.path() / "cache";
             const auto library = drivers / "standin-load-abort.so";
             fs::create_directory(drivers);
             fs::create_directory(cache);
             fs::permissions(cache, fs::perms::owner_all);
             const auto built = support::build_folder() / "tests/unit/opencl/libdevq-test-icd.so";
             if (!fs::exists(built))
                 return json("built without the OpenCL backend");
             fs::copy_file(built, library);
             std::ofstream(drivers / "bad.icd") << library.string() << '\n';
             machine.environment["OCL_ICD_VENDORS"] = drivers.string();
             machine.environment["DEVQ_CACHE_DIR"] = cache.string();
             machine.environment["DEVQ_PROBE"] = support::unset;
             return entry_of(machine, "opencl");
         },
         "signal 6"},
    };
    std::map<std::string, int> seen;
    for (const Fixture& fixture : fixtures) {
        const json entry = fixture.list();
        CAPTURE(fixture.code);
        CAPTURE(entry.dump(2));
        ++seen[fixture.code];
        if (entry.is_string()) {
            std::printf("skipped: %s: %s\n", fixture.code.c_str(), entry.get<std::string>().c_str());
            continue;
        }
        REQUIRE(entry.is_object());
        CHECK(entry.at("code") == fixture.code);
        CHECK(holds(words_of(entry), fixture.says));
        CHECK_FALSE(entry.at("reason").get<std::string>().empty());
        CHECK_FALSE(entry.at("remedy").get<std::string>().empty());
        CHECK(devq::detail::find_code(fixture.code) != nullptr);
    }
    CHECK(seen.size() == devq::detail::unavailable_codes.size());
}

TEST_CASE("with nothing of NVIDIA's on the path: the library is missing") {
    if (cuda("").at("code") != "library_missing")
        std::puts("skipped: no-driver: this machine has NVIDIA's driver");
    else
        CHECK(holds(words_of(cuda("")), "libcuda.so.1: cannot open shared object file"));
}

TEST_CASE("what a backend leaves empty or invents is completed") {
    Machine machine;
    machine.environment["FAKE_cuda_MISSING"] = "on_strike|the fake driver wants more";
    const json entry = entry_of(machine, "cuda");
    CHECK(entry.at("code") == "driver_broken");
    CHECK(entry.at("reason") == "the fake driver wants more (on_strike)");
}

TEST_CASE("docs/cli.md has the same codes, in the same words") {
    const auto rows = table_of("| code |", "| `");
    REQUIRE(rows.size() == devq::detail::unavailable_codes.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const devq::detail::UnavailableCode& code = devq::detail::unavailable_codes[i];
        REQUIRE(rows[i].size() == 3);
        CHECK(rows[i][0] == "`" + std::string(code.code) + "`");
        CHECK(rows[i][1] == code.meaning);
        CHECK(rows[i][2] == code.remedy);
    }
}

TEST_CASE("docs/cli.md has the same variables, in the same words") {
    const auto rows = table_of("| variable | values |", "| `DEVQ_");
    REQUIRE(rows.size() == devq::detail::variables.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const devq::detail::VariableRow& variable = devq::detail::variables[i];
        REQUIRE(rows[i].size() == 3);
        CHECK(rows[i][0] == "`" + std::string(variable.name) + "`");
        CHECK(rows[i][1] == variable.values);
        CHECK(rows[i][2] == variable.effect);
    }
}
