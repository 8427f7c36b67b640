#include "builtin.hpp"
#include "builtin_index.hpp"
#include "child_process.hpp"
#include "device.hpp"
#include "kernel.hpp"
#include "support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace devq;
using namespace devq::test;
namespace fs = std::filesystem;

namespace {

std::string tool(const char* name) {
    for (const char* folder : {"/usr/local/bin/", "/usr/bin/", "/bin/"})
        if (fs::exists(std::string(folder) + name))
            return std::string(folder) + name;
    return {};
}

detail::ChildResult run(const std::vector<std::string>& arguments) {
    return detail::run_child(arguments, std::chrono::seconds(60));
}

} // namespace

TEST_CASE("what was compiled ahead is what kernels/variants lists, at most 12 a file and level") {
    std::map<std::pair<std::string, int>, int> counts;
    std::set<int> levels;
    for (const auto& entry : cpu::builtin_entries()) {
        ++counts[{std::string(entry.kernel_file), entry.level}];
        levels.insert(entry.level);
        CHECK(entry.table->abi_version == DEVQ_HOST_ABI_VERSION);
        CHECK(entry.table->count > 0);
        for (unsigned i = 0; i < entry.table->count; ++i)
            CHECK(bool(entry.table->kernels[i].run_groups));
    }
    REQUIRE_FALSE(counts.empty());
    for (const auto& count : counts) {
        CAPTURE(count.first.first);
        CHECK(count.second <= 12);
    }
    std::map<std::pair<std::string, int>, int> listed;
    for (const auto& row : detail::variant_rows())
        if (row.device_class.substr(0, 5) == "cpu-v" && levels.count(row.device_class[5] - '0') != 0)
            ++listed[{std::string(row.kernel_file), row.device_class[5] - '0'}];
    CHECK(listed == counts);
}

TEST_CASE("a device takes variants of its own level, and knows no others") {
    for (int level = 2; level <= cpu::machine_level(); ++level) {
        cpu::Isa isa;
        isa.level = level;
        isa.forced = true;
        cpu::Device device(isa);
        for (const auto& entry : cpu::builtin_entries()) {
            const auto program = device.builtin({entry.kernel_file, entry.constants});
            // Rows whose vectors are one wide are alike on every level.
            const auto own = [&](const cpu::BuiltinEntry& other) {
                return other.level == level && other.kernel_file == entry.kernel_file &&
                       other.constants == entry.constants;
            };
            const auto entries = cpu::builtin_entries();
            const auto found = std::find_if(entries.begin(), entries.end(), own);
            CHECK((program != nullptr) == (found != entries.end()));
            if (!program || found == entries.end())
                continue;
            const devq_host_kernel& host = found->table->kernels[0];
            const auto kernel = std::dynamic_pointer_cast<cpu::Kernel>(program->kernel(host.name));
            REQUIRE(kernel != nullptr);
            CHECK(&kernel->host() == &host);
        }
        CHECK(device.builtin({"no_such_file", "T=f32"}) == nullptr);
    }
}

TEST_CASE("kernels compiled for a level define nothing that the linker could take for another") {
    const std::string nm = tool("nm");
    REQUIRE_FALSE(nm.empty());
    std::set<int> levels;
    for (const auto& entry : cpu::builtin_entries())
        levels.insert(entry.level);
    REQUIRE_FALSE(levels.empty());
    for (int level : levels) {
        const std::string library = build_folder() + "/backends/cpu/libdevq_kernels_v" + std::to_string(level) + ".a";
        CAPTURE(library);
        const auto result = run({nm, "-P", library}); // lines of: name type ...; others name the objects
        REQUIRE(result.end == detail::ChildResult::End::exited);
        REQUIRE(result.code == 0);
        std::istringstream lines(result.output);
        int tables = 0;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream fields(line);
            std::string name, type;
            if (!(fields >> name >> type) || type.size() != 1)
                continue;
            // W, w, V, v: weak; u: unique; C: common. A global function (T) would be one that levels share by name.
            CHECK_MESSAGE(type.find_first_of("WwVvuTC") == std::string::npos, line);
            tables += name.rfind("devq_kernels_", 0) == 0 && type.find_first_of("RDB") != std::string::npos;
        }
        CHECK(tables > 0);
    }
}

TEST_CASE("sources carry their prelude, and an unknown file is an error") {
    for (const auto& row : detail::variant_rows()) {
        const std::string_view text = detail::builtin_source(row.kernel_file);
        CHECK(text.find("#include") == std::string_view::npos);
        CHECK(text.find("__kernel") != std::string_view::npos);
    }
    CHECK_THROWS_AS(detail::builtin_source("no_such_file"), Error);
}

TEST_CASE("mistakes in kernels/variants are named with their line") {
    const std::string python = tool("python3");
    REQUIRE_FALSE(python.empty());
    std::string name = (fs::temp_directory_path() / "devq-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    const fs::path folder = name;
    std::ofstream(folder / "one.cl") << "__kernel void one(void) {}\n";
    const auto parse = [&](const std::string& text) {
        std::ofstream(folder / "variants") << text;
        return run({python, "-B", "-c",
                    "import sys\nsys.path.insert(0, sys.argv[1])\nimport variants\n"
                    "try:\n  [print(*row[:3], sep=';') for row in variants.parse(sys.argv[2])]\n"
                    "except variants.VariantsError as e: sys.exit(str(e))",
                    source_folder() + "/kernels", (folder / "variants").string()});
    };
    const auto good = parse("# note\n\none  cpu-v2,gpu  A={1, 2}  B={x,y} # more\none cpu-v3\n");
    CHECK(good.output == "one;cpu-v2;A=1 B=x\none;cpu-v2;A=1 B=y\none;cpu-v2;A=2 B=x\none;cpu-v2;A=2 B=y\n"
                         "one;gpu;A=1 B=x\none;gpu;A=1 B=y\none;gpu;A=2 B=x\none;gpu;A=2 B=y\none;cpu-v3;\n");
    const std::pair<const char*, const char*> mistakes[] = {
        {"one", ":1: a row needs"},
        {"\none cpu-v9 A=1", ":2: \"cpu-v9\" is no device class"},
        {"two cpu-v2 A=1", "there is no two.cl"},
        {"one cpu-v2 A=1 A=2", "A is given twice"},
        {"one cpu-v2 A={1,2", "braces do not match"},
        {"one cpu-v2 A", "\"A\" is not NAME=VALUE"},
        {"one cpu-v2 A=1\none cpu-v2 A=1", ":2: \"A=1\" for cpu-v2 is in line 1"},
        {"one cpu-v2 A={1,2,3,4,5,6,7,8,9,10,11,12,13}", "at most 12"},
    };
    for (const auto& mistake : mistakes) { // no structured binding: clang 14 cannot capture one
        CAPTURE(mistake.first);
        const auto result = parse(mistake.first);
        CHECK(result.code == 1);
        CHECK_MESSAGE(result.output.find(mistake.second) != std::string::npos, result.output);
    }
    fs::remove_all(folder);
}
