// The parts of `devq doctor` that read files, and the table that is also the documentation.
#include "../../../tools/doctor/loader.hpp"
#include "../../../tools/doctor/report.hpp"
#include "../../../tools/doctor/rules.hpp"
#include "../../../tools/doctor/versions.hpp"
#include "../devices/expect.hpp"
#include "../devices/support.hpp"
#include "elf_writer.hpp"
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace devq::doctor;

namespace {

const fs::path root = DEVQ_SOURCE_ROOT;

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string little(std::uint32_t value) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
}

/// ld.so.cache of glibc 2.2 and later, behind the older format as Debian 10 wrote it.
std::string cache_of(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string strings, table;
    const std::size_t strings_at = 48 + 24 * entries.size();
    for (const auto& [name, path] : entries) {
        table += little(0x0303) + little(static_cast<std::uint32_t>(strings_at + strings.size()));
        strings += name + '\0';
        table += little(static_cast<std::uint32_t>(strings_at + strings.size())) + std::string(12, '\0');
        strings += path + '\0';
    }
    return "ld.so-1.7.0" + std::string(5, '\0') + "glibc-ld.so.cache1.1" +
           little(static_cast<std::uint32_t>(entries.size())) + little(static_cast<std::uint32_t>(strings.size())) +
           std::string(20, '\0') + table + strings;
}

} // namespace

TEST_CASE("an ELF file says its names, whatever its class") {
    const support::Folder folder;
    for (const int bits : {32, 64}) {
        doctor_test::ElfText text;
        text.bits = bits;
        text.soname = "libx.so.1";
        text.run_path = "$ORIGIN/a:/b";
        text.needed = {"liba.so.2", "libb.so"};
        text.needs_glibc = "2.38";
        text.defines_glibc = {"2.2.5", "2.36"};
        write(folder.path / "x", doctor_test::elf_file(text));
        const ElfFile elf = read_elf(folder.path / "x");
        CHECK(elf.problem.empty());
        CHECK(elf.bits == bits);
        CHECK(elf.machine == (bits == 32 ? 3 : own_machine()));
        CHECK(elf.soname == "libx.so.1");
        CHECK(elf.needed == text.needed);
        CHECK(elf.run_path == std::vector<std::string>{"$ORIGIN/a", "/b"});
        CHECK(elf.needs_versions == std::vector<std::string>{"GLIBC_2.38"});
        CHECK(elf.has_versions == std::vector<std::string>{"GLIBC_2.2.5", "GLIBC_2.36"});
    }
    // A real one: this program's own.
    const ElfFile self = read_elf("/proc/self/exe");
    CHECK(self.problem.empty());
    CHECK(contains(self.needed, "libc.so.6"));
}

TEST_CASE("an ELF file that is cut short or damaged is read without harm") {
    const support::Folder folder;
    doctor_test::ElfText text;
    text.soname = "libx.so.1";
    text.needed = {"liba.so.2", "libb.so"};
    text.needs_glibc = "2.38";
    text.defines_glibc = {"2.36"};
    const std::string whole = doctor_test::elf_file(text);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write(folder.path / "x", whole.substr(0, size));
        const ElfFile elf = read_elf(folder.path / "x");
        if (size < 16)
            CHECK_FALSE(elf.problem.empty());
        CHECK(elf.needed.size() <= whole.size());
    }
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 500; ++i) {
        std::string damaged = whole;
        for (int j = 0; j < 4; ++j)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        write(folder.path / "x", damaged);
        CHECK(read_elf(folder.path / "x").needed.size() <= damaged.size());
    }
}

TEST_CASE("a pipe where a file is expected is not waited for") {
    const support::Folder folder;
    REQUIRE(mkfifo((folder.path / "libcuda.so.1").c_str(), 0600) == 0);
    CHECK_FALSE(read_elf(folder.path / "libcuda.so.1").problem.empty());
}

TEST_CASE("links are followed within the folder, and loops end") {
    const support::Folder folder;
    write(folder.path / "etc/passwd", "inside");
    fs::create_directories(folder.path / "a");
    fs::create_symlink("/etc/passwd", folder.path / "a/absolute");
    fs::create_symlink("../../../../etc/passwd", folder.path / "a/above");
    fs::create_symlink("loop", folder.path / "a/loop");
    fs::create_symlink("/a", folder.path / "b");
    const System system(folder.path);
    CHECK(system.read("/a/absolute") == "inside");
    CHECK(system.read("/b/above") == "inside");
    CHECK(system.target("/b/absolute") == "/etc/passwd");
    CHECK(system.target("/a/loop").empty());
    CHECK(system.named("/a/loop"));
    CHECK_FALSE(system.named("/a/none"));
    CHECK(system.link("/a/loop") == "loop");
    CHECK(System(folder.path / "").root() == folder.path);
}

TEST_CASE("the loader's cache is read, and what it lacks is known") {
    const support::Folder folder;
    const auto library = [&](const std::string& path) { write(folder.path / path, doctor_test::elf_file({})); };
    library("opt/a/libone.so.1");
    library("opt/b/libone.so.1");
    library("opt/b/libtwo.so.1");
    library("usr/lib64/libthree.so.1");
    write(folder.path / "etc/ld.so.conf", "# comment\ninclude ld.so.conf.d/*.conf\n");
    write(folder.path / "etc/ld.so.conf.d/b.conf", "/opt/b\n");
    write(folder.path / "etc/ld.so.cache", cache_of({{"libone.so.1", "/opt/a/libone.so.1"}}));
    const System system(folder.path);
    const Loader loader(system);
    const auto one = loader.find("libone.so.1");
    REQUIRE(Loader::taken(one) != nullptr);
    CHECK(Loader::taken(one)->path == "/opt/a/libone.so.1");
    CHECK(Loader::taken(loader.find("libtwo.so.1")) == nullptr);
    CHECK(loader.uncached_folder("libtwo.so.1") == "/opt/b");
    CHECK(loader.uncached_folder("libone.so.1").empty());
    CHECK(Loader::taken(loader.find("libthree.so.1")) != nullptr); // a standard folder
    // Without a cache the folders count as they are configured.
    fs::remove(folder.path / "etc/ld.so.cache");
    CHECK(Loader::taken(Loader(system).find("libtwo.so.1")) != nullptr);
    // The real one knows the C library, and nothing that this program needs is missing.
    const System here;
    const Loader real(here);
    CHECK(Loader::taken(real.find("libc.so.6")) != nullptr);
    CHECK(real.glibc().starts_with("GLIBC_2."));
    const auto stdcxx = real.find("libstdc++.so.6");
    REQUIRE(Loader::taken(stdcxx) != nullptr);
    CHECK(real.missing(*Loader::taken(stdcxx)).empty());
}

TEST_CASE("versions") {
    CHECK(older("12.9", "12.10"));
    CHECK_FALSE(older("12.10", "12.9"));
    CHECK_FALSE(older("12.0", "12"));
    CHECK(older("525.60.13", "525.125.06"));
    CHECK(short_version("12.4.127") == "12.4");
    CHECK(major_of("535.183.01") == 535);
    CHECK(cuda_of_driver("535.183.01") == "12.2");
    CHECK(cuda_of_driver("580.65.06") == "13.0");
    CHECK(cuda_of_driver("580.65.05") == "12.9");
    CHECK(cuda_of_driver("390.157").empty());
    CHECK(chip_family("AD102 [GeForce RTX 4090]") == "AD");
    CHECK(chip_family("Navi 21").empty());
    CHECK(family_name("GB") == "Blackwell");
    CHECK(limit_of("cuda_branch", "13", "driver") == "580.65.06");
}

TEST_CASE("each row of the table of versions is whole and has a source") {
    const std::set<std::string_view> products{"cuda", "cuda_branch", "cudnn", "chip", "gfx"};
    const std::set<std::string_view> needs{"driver", "driver_below", "cuda", "cuda_below", "rocm_below", "open_module"};
    std::set<std::string> seen;
    CHECK(version_table().size() > 30);
    for (const VersionRow& row : version_table()) {
        CAPTURE(row.version);
        CHECK(products.count(row.product) == 1);
        CHECK(needs.count(row.needs) == 1);
        CHECK_FALSE(row.limit.empty());
        CHECK((row.source.starts_with("https://") || row.source.starts_with("the same")));
        CHECK(seen.insert(std::string(row.product) + '|' + std::string(row.version) + '|' + std::string(row.needs))
                  .second);
    }
    std::string before; // newer toolkits need newer drivers
    for (const VersionRow& row : version_table())
        if (row.product == "cuda") {
            CHECK((before.empty() || older(before, row.limit)));
            before = row.limit;
        }
}

TEST_CASE("docs/doctor/ is what the table makes, and docs/troubleshooting.md names only what is there") {
    const support::Folder folder;
    const auto made = support::run({"/usr/bin/env", "python3", "-B", (root / "tools/doctor/causes.py").string(),
                                    "--docs", (root / "tools/doctor").string(), folder.path.string()});
    REQUIRE_MESSAGE(made.status == 0, made.err);
    std::set<std::string> pages;
    for (const auto& entry : fs::directory_iterator(folder.path)) {
        pages.insert(entry.path().filename());
        CHECK_MESSAGE(text_of(entry.path()) == text_of(root / "docs/doctor" / entry.path().filename()),
                      entry.path().filename(), " differs: tools/doctor/causes.py --docs tools/doctor docs/doctor");
    }
    for (const auto& entry : fs::directory_iterator(root / "docs/doctor"))
        CHECK(pages.count(entry.path().filename()) == 1);
    std::set<std::string> ids;
    for (const Cause& cause : causes)
        ids.insert(std::string(cause.id));
    const std::string text = text_of(root / "docs/troubleshooting.md");
    const std::regex id("`([a-z]+_[a-z_]+)`");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), id); it != std::sregex_iterator(); ++it)
        CHECK_MESSAGE((ids.count((*it)[1]) == 1 || (*it)[1] == "out_of_memory"), (*it)[1].str());
}

TEST_CASE("every variable that docs/cli.md describes is known") {
    const std::string text = text_of(root / "docs/cli.md");
    const std::regex row("\\n\\| `(DEVQ_[A-Z_]+)");
    Facts facts;
    facts.environment["DEVQ_NONE"] = "1";
    for (auto it = std::sregex_iterator(text.begin(), text.end(), row); it != std::sregex_iterator(); ++it)
        facts.environment[(*it)[1]] = "/none";
    CHECK(facts.environment.size() > 8);
    Findings findings(facts);
    judge_environment(facts, findings);
    std::vector<std::string> unknown;
    for (const Finding& one : findings.ordered(""))
        if (one.row().id == "devq_variable_unknown")
            unknown.push_back(one.what);
    CHECK(unknown == std::vector<std::string>{"DEVQ_NONE is no variable of devq's"});
}

TEST_CASE("each command of the table is one that a shell takes") {
    std::string script;
    for (const Cause& cause : causes)
        for (const std::string_view commands :
             {cause.apt, cause.ubuntu, cause.dnf, cause.pacman, cause.zypper, cause.any})
            if (!commands.empty() && cause.id != "wrong_module_kind")
                script += std::regex_replace(std::string(commands), std::regex("\\{[a-z_]+\\}"), "X") + "\n";
    const support::Folder folder;
    write(folder.path / "all", script);
    const auto checked = support::run({"/bin/sh", "-n", (folder.path / "all").string()});
    CHECK_MESSAGE(checked.status == 0, checked.err);
    CHECK(script.size() > 5000);
}

TEST_CASE("lines for shells survive what is in a folder's name") {
    const support::Folder folder;
    const std::string odd = "/opt/it's $(a) \\ folder";
    fs::create_directories(folder.path / odd.substr(1));
    fs::create_directories(folder.path / "proc/self");
    write(folder.path / "proc/self/environ",
          "PATH=/usr/bin" + std::string(1, '\0') + "LD_LIBRARY_PATH=" + odd + ":/none:" + std::string(1, '\0'));
    const System system(folder.path);
    const Facts facts = gather(system);
    const auto lines = environment_lines(system, facts, "bash");
    const auto shown = support::run({"/bin/sh", "-c", lines + "printf %s \"$LD_LIBRARY_PATH\""});
    CHECK(shown.out == odd);
    CHECK(environment_lines(system, facts, "fish") ==
          "set -gx --path LD_LIBRARY_PATH '/opt/it\\'s $(a) \\\\ folder'\n");
}

TEST_CASE("what the trial of devices has shown") {
    Facts facts;
    facts.has_pci = true;
    facts.processor.compilers = {"/usr/bin/g++"};
    for (const char* node : {"/dev/kfd", "/dev/dxg", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/dri/renderD128"})
        facts.nodes[node] = {node, true, 0666, 0, 0, true};
    Pci gpu;
    gpu.address = "0000:03:00.0";
    gpu.vendor = "amd";
    gpu.what = "AMD GPU Navi 21 at 0000:03:00.0";
    gpu.driver = "amdgpu";
    gpu.render_node = "/dev/dri/renderD128";
    facts.gpus.push_back(gpu);
    facts.nodes["/dev/dxg"].there = false;
    facts.icd.folder = "/etc/OpenCL/vendors";
    facts.libraries["libOpenCL.so.1"].taken = 0;
    facts.libraries["libOpenCL.so.1"].candidates.emplace_back();
    // No .icd file is to be seen, and yet it has run: by a driver that was found another way.
    CHECK(diagnose(facts).ordered("").at(0).row().id == "amd_opencl_missing");
    CHECK(diagnose(facts).ordered("").at(0).severity == Severity::prevents);
    facts.trial.ran = true;
    facts.trial.devices.push_back({"opencl:0", "Navi 21", "opencl", "gpu", gpu.address, true, true, "", 3.0});
    CHECK(diagnose(facts).ordered("").at(0).severity == Severity::limits);
    CHECK(holds(diagnose(facts).ordered("").at(0).meanwhile, "opencl:0 (Navi 21)"));

    // All files are in order, and the driver refuses: its own words.
    Icd icd;
    icd.file = "/etc/OpenCL/vendors/amdocl64.icd";
    icd.library = "libamdocl64.so";
    icd.maker = "amd";
    icd.taken = 0;
    icd.candidates.emplace_back();
    facts.icd.icds.push_back(icd);
    facts.icd.folder_there = true;
    facts.trial.devices.clear();
    facts.trial.missing.push_back({"", "no_device", "platform AMD has no device", "Look there.", gpu.address});
    const auto said = diagnose(facts).ordered("");
    REQUIRE(said.size() == 1);
    CHECK(said[0].row().id == "backend_says");
    CHECK(holds(said[0].what, "platform AMD has no device"));
    CHECK(said[0].mend == "Look there.");

    facts.trial.missing.clear();
    facts.trial.devices.push_back(
        {"opencl:0", "Navi 21", "opencl", "gpu", gpu.address, true, false, "element 3 is 7, not 8", 3.0});
    facts.trial.ended = "opencl:1 (Other): ended by signal 11";
    const auto failed = diagnose(facts).ordered("");
    REQUIRE(failed.size() == 2);
    CHECK(failed[0].row().id == "round_trip_failed");
    CHECK(holds(failed[0].evidence.at(0), "element 3 is 7"));
    CHECK(failed[1].row().id == "trial_ended");
    CHECK(failed[1].commands.at(0) == "export DEVQ_DEVICE='!opencl'");
}
