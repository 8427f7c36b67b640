#include "drivers.hpp"
#include "faults.hpp"
#include "icd_files.hpp"
#include "icd_probe.hpp"
#include "support.hpp"
#include <algorithm>
#include <csignal>
#include <cstdlib>

using namespace devq;
using namespace devq::opencl_test;
namespace fs = std::filesystem;

namespace {

bool in_child() { return std::getenv("DEVQ_TEST_CHILD") != nullptr; }

/// New and empty in the parent; what that has put there in its child.
DriverFolder drivers_in(const std::string& name) {
    return {in_child() ? program_folder() + "/unit-opencl-files/" + name : make_folder(name),
            program_folder() + "/tests/unit/opencl/libdevq-test-icd.so"};
}

std::string pocl_library() {
    std::string library;
    std::ifstream file("/etc/OpenCL/vendors/pocl.icd");
    std::getline(file, library);
    return library;
}

/// A process that reads its drivers from `folder` and keeps everything else in folders of its own beside it.
Variables alone(const DriverFolder& drivers, const std::string& setting) {
    const fs::path beside = drivers.path / "process";
    for (const char* name : {"cache", "temporary"})
        fs::create_directories(beside / name);
    fs::permissions(beside / "cache", fs::perms::owner_all);
    return {{"OCL_ICD_VENDORS", setting},
            {"DEVQ_CACHE_DIR", (beside / "cache").string()},
            {"TMPDIR", (beside / "temporary").string()},
            {"XDG_RUNTIME_DIR", (beside / "temporary").string()},
            {"DEVQ_TEST_ICD_LOG", (beside / "log").string()}};
}

std::string variable(const char* name) { return std::getenv(name) ? std::getenv(name) : "(unset)"; }
std::map<std::string, int> probes() { return DriverFolder::loads(variable("DEVQ_TEST_ICD_LOG"), "devq-probe"); }

/// The entry that names this driver's file.
Unavailable entry_of(const std::vector<Unavailable>& entries, const std::string& file) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Unavailable& entry) {
        return entry.reason.find('/' + file) != entry.reason.npos;
    });
    REQUIRE_MESSAGE(found != entries.end(), file);
    CHECK(found->backend == "opencl");
    CHECK_FALSE(found->remedy.empty());
    return *found;
}

/// Sets OCL_ICD_VENDORS, for code that calls no OpenCL.
struct Setting {
    explicit Setting(const std::string& value) { setenv("OCL_ICD_VENDORS", value.c_str(), 1); }
    ~Setting() {
        if (before.empty())
            unsetenv("OCL_ICD_VENDORS");
        else
            setenv("OCL_ICD_VENDORS", before.c_str(), 1);
    }
    std::string before = std::getenv("OCL_ICD_VENDORS") ? std::getenv("OCL_ICD_VENDORS") : "";
};

std::vector<std::string> file_names(const std::vector<opencl::IcdFile>& icds) {
    std::vector<std::string> names;
    for (const auto& icd : icds)
        names.push_back(icd.file.filename());
    return names;
}

} // namespace

TEST_CASE("drivers that die or hang are left out, the good ones stay") {
    const DriverFolder drivers = drivers_in("mixed drivers");
    const bool pocl = !pocl_library().empty();
    if (!in_child()) {
        for (const char* what : {"load-abort", "load-hang", "load-exit", "ask-abort", "ask-hang", "end-abort", "none",
                                 "refuses", "error", "empty", "talks"})
            drivers.add(what);
        drivers.add_file("nothing.icd", "libdevq-there-is-no-such-driver.so\n");
        drivers.add_file("empty-file.icd", "");
        drivers.add_file("dangling.icd", "");
        fs::remove(drivers.path / "dangling.icd");
        fs::create_symlink("/nowhere/at/all.icd", drivers.path / "dangling.icd");
        if (pocl)
            drivers.add_file("pocl.icd", pocl_library() + '\n');
    }
    if (respawned("drivers that die or hang are left out, the good ones stay", alone(drivers, drivers.path.string())))
        return;

    const auto found = make_backend()->enumerate();
    REQUIRE(found.devices.size() >= (pocl ? 4u : 3u)); // those of "talks", and PoCL's
    CHECK(std::any_of(found.devices.begin(), found.devices.end(),
                      [](const DeviceInfo& device) { return device.vendor == "AMD"; }));
    // ThreadSanitizer has a status of its own for a process that ends while it loads a library.
    const bool tsan = std::getenv("DEVQ_TEST_TSAN") != nullptr;
    const std::map<std::string, std::string> crashed = {
        {"load-abort", "signal 6 (Aborted)"},
        {"load-hang", "no answer within 5 s"},
        {"load-exit", std::string("ended its process with status ") + (tsan ? "66" : "0")},
        {"ask-abort", "signal 6 (Aborted)"},
        {"ask-hang", "no answer within 5 s"},
        {"end-abort", "signal 6 (Aborted)"}};
    for (const auto& [what, words] : crashed) {
        const Unavailable entry = entry_of(found.unavailable, what + ".icd");
        CHECK(entry.code == "crashed");
        CHECK_MESSAGE(entry.reason.find(words) != entry.reason.npos, entry.reason);
        CHECK(entry.reason.find("standin-" + what + ".so") != entry.reason.npos);
    }
    CHECK(entry_of(found.unavailable, "nothing.icd").code == "library_missing");
    CHECK(entry_of(found.unavailable, "empty-file.icd").code == "driver_broken");
    CHECK(entry_of(found.unavailable, "dangling.icd").reason.find("cannot be read") != std::string::npos);
    // The loader itself passes over a driver without a platform, and over one that refuses to name any.
    std::vector<std::string> others;
    for (const Unavailable& entry : found.unavailable)
        if (entry.reason.starts_with("platform "))
            others.push_back(entry.code);
    std::sort(others.begin(), others.end());
    CHECK(others == std::vector<std::string>{"driver_broken", "no_device"}); // "error" and "empty"
    CHECK(found.unavailable.size() == crashed.size() + 3 + others.size());

    // The user's setting is as it was, for this process and its children, and nothing is left behind.
    CHECK(variable("OCL_ICD_VENDORS") == drivers.path.string());
    CHECK(run_child({"sh", "-c", "printf %s \"$OCL_ICD_VENDORS\""}, {}).output == drivers.path.string());
    CHECK(fs::is_empty(variable("TMPDIR")));
    // A broken driver has been in the probe only.
    CHECK(DriverFolder::loads(variable("DEVQ_TEST_ICD_LOG"), "unit-opencl") ==
          std::map<std::string, int>{{"empty", 1}, {"error", 1}, {"none", 1}, {"refuses", 1}, {"talks", 1}});
}

TEST_CASE("what was found out is remembered: good for ever, bad for ten minutes") {
    const DriverFolder drivers = drivers_in("remembered drivers");
    if (!in_child()) {
        drivers.add("gpus");
        drivers.add("load-abort");
    }
    if (respawned("what was found out is remembered: good for ever, bad for ten minutes",
                  alone(drivers, drivers.path.string())))
        return;
    using Counts = std::map<std::string, int>;
    const std::time_t start = std::time(nullptr);
    const auto broken_at = [&](std::time_t now) {
        const auto result = opencl::probe_drivers(now);
        CHECK(result.broken.size() == 1);
        CHECK(result.setting != nullptr);
    };
    broken_at(start);
    CHECK(probes() == Counts{{"gpus", 1}, {"load-abort", 1}});
    broken_at(start);
    broken_at(start + 599);
    CHECK(probes() == Counts{});
    broken_at(start + 601);
    CHECK(probes() == Counts{{"load-abort", 1}});
    broken_at(start + 1200);
    CHECK(probes() == Counts{});
    broken_at(start - 5); // the clock was set back
    CHECK(probes() == Counts{{"load-abort", 1}});

    // Variables that steer drivers: what was found out with others says nothing.
    setenv("CL_OF_THE_TEST", "1", 1);
    broken_at(start);
    CHECK(probes() == Counts{{"gpus", 1}, {"load-abort", 1}});
    broken_at(start);
    CHECK(probes() == Counts{});
    unsetenv("CL_OF_THE_TEST");
    broken_at(start - 5);
    CHECK(probes() == Counts{});

    // A driver that changes is probed again, though its name stays: the good one, the bad one, the .icd file.
    std::ofstream(drivers.path / "lib/standin-gpus.so", std::ios::app) << "more";
    broken_at(start);
    CHECK(probes() == Counts{{"gpus", 1}});
    fs::copy_file(drivers.path / "lib/standin-gpus.so", drivers.path / "lib/new.so");
    fs::rename(drivers.path / "lib/new.so", drivers.path / "lib/standin-load-abort.so");
    broken_at(start); // the same file, but the name of the stand-in makes it abort
    CHECK(probes() == Counts{{"load-abort", 1}});
    drivers.add_file("gpus.icd", (drivers.path / "lib/standin-gpus.so").string() + "\n\n");
    broken_at(start);
    CHECK(probes() == Counts{{"gpus", 1}});
    drivers.add_file("load-abort.icd", (drivers.path / "lib/standin-gpus.so").string() + '\n');
    CHECK(opencl::probe_drivers(start).broken.empty());
}

TEST_CASE("without a folder to remember in, each look probes") {
    const DriverFolder drivers = drivers_in("forgetful drivers");
    if (!in_child())
        drivers.add("gpus");
    Variables variables = alone(drivers, drivers.path.string());
    variables.emplace_back("DEVQ_CACHE", "0");
    if (respawned("without a folder to remember in, each look probes", variables))
        return;
    for (int i = 0; i < 2; ++i) {
        const auto result = opencl::probe_drivers();
        CHECK(result.broken.empty());
        CHECK(result.setting == nullptr); // every driver is fine: nothing is changed
        CHECK(probes() == std::map<std::string, int>{{"gpus", 1}});
    }
}

TEST_CASE("DEVQ_PROBE=0 trusts every driver") {
    const DriverFolder drivers = drivers_in("trusted drivers");
    if (!in_child())
        drivers.add("load-abort");
    const Setting setting(drivers.path);
    setenv("DEVQ_PROBE", "0", 1);
    const auto trusted = opencl::probe_drivers();
    unsetenv("DEVQ_PROBE");
    CHECK(trusted.broken.empty());
    CHECK(trusted.setting == nullptr);
    CHECK(opencl::probe_drivers().broken.size() == 1);
}

TEST_CASE("a program that collects its children itself") {
    const DriverFolder drivers = drivers_in("collected drivers");
    if (!in_child())
        for (const char* what : {"gpus", "load-exit", "load-abort"})
            drivers.add(what);
    if (respawned("a program that collects its children itself", alone(drivers, drivers.path.string())))
        return;
    std::signal(SIGCHLD, SIG_IGN);
    const auto result = opencl::probe_drivers();
    std::signal(SIGCHLD, SIG_DFL);
    CHECK(result.broken.size() == 2); // what they ended with is lost, that they gave no answer is not
    CHECK(entry_of(result.broken, "load-exit.icd").code == "crashed");
    CHECK(entry_of(result.broken, "load-abort.icd").code == "crashed");
}

/// What the loader would read of a folder. devq's own have a file more, which says that they are in use.
std::vector<fs::path> drivers_listed(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".icd")
            found.push_back(entry.path());
    return found;
}

TEST_CASE("a setting may name a folder, a file, or the library itself") {
    const DriverFolder drivers = drivers_in("settings");
    const fs::path library = drivers.add("load-abort");
    drivers.add("gpus");
    for (const std::string& value : {library.string(), (drivers.path / "load-abort.icd").string()}) {
        const Setting setting(value);
        const auto result = opencl::probe_drivers();
        REQUIRE(result.broken.size() == 1);
        CHECK(result.broken[0].code == "crashed");
        CHECK(result.broken[0].reason.find("load-abort") != std::string::npos);
        CHECK(variable("OCL_ICD_VENDORS") != value); // the loader is to see no driver at all
        CHECK(drivers_listed(variable("OCL_ICD_VENDORS")).empty());
    }
    const Setting setting(drivers.path);
    const auto result = opencl::probe_drivers();
    CHECK(result.broken.size() == 1);
    const std::vector<fs::path> left = drivers_listed(variable("OCL_ICD_VENDORS"));
    REQUIRE(left.size() == 1);
    CHECK(read_file(left[0]) == (drivers.path / "lib/standin-gpus.so").string() + '\n');
    CHECK((fs::status(variable("OCL_ICD_VENDORS")).permissions() & fs::perms::all) == fs::perms::owner_all);
}

TEST_CASE("which drivers a setting means") {
    const DriverFolder drivers = drivers_in("files");
    drivers.add_file("b.icd", "/lib/b.so\n");
    drivers.add_file("a.icd", "liba.so");
    drivers.add_file(".icd", "/lib/hidden.so\n");
    drivers.add_file("readme.txt", "no driver\n");
    drivers.add_file("c.icd", "\n/lib/second-line.so\n");
    drivers.add_file("d.icd", "/lib/d.so\r\nmore\n");
    fs::create_directory(drivers.path / "folder.icd");
    {
        const Setting setting(drivers.path);
        const auto icds = opencl::icd_files();
        CHECK(file_names(icds) == std::vector<std::string>{"a.icd", "b.icd", "c.icd", "d.icd", "folder.icd"});
        CHECK(icds[0].library == "liba.so");
        CHECK(icds[0].problem.empty());
        CHECK(icds[1].library == "/lib/b.so");
        CHECK(icds[2].problem == "names no library in its first line");
        CHECK(icds[3].library == "/lib/d.so\r"); // as the loader takes it
        CHECK_FALSE(icds[4].problem.empty());
    }
    {
        const Setting setting((drivers.path / "b.icd").string());
        const auto icds = opencl::icd_files();
        REQUIRE(icds.size() == 1);
        CHECK(icds[0].library == "/lib/b.so");
    }
    {
        const Setting setting("libsomething.so.1");
        const auto icds = opencl::icd_files();
        REQUIRE(icds.size() == 1);
        CHECK(icds[0].library == "libsomething.so.1");
        CHECK(icds[0].resolved.empty());
    }
    {
        // A bare name is looked for in the default folder first, then where the process is.
        const fs::path before = fs::current_path();
        fs::current_path(drivers.path);
        const Setting setting("b.icd");
        CHECK(opencl::icd_files().at(0).library == "/lib/b.so");
        setenv("OCL_ICD_VENDORS", "./b.icd", 1);
        CHECK(opencl::icd_files().at(0).library == "/lib/b.so");
        if (!pocl_library().empty()) {
            drivers.add_file("pocl.icd", "/lib/b.so\n");
            setenv("OCL_ICD_VENDORS", "pocl.icd", 1);
            CHECK(opencl::icd_files().at(0).library == pocl_library());
            CHECK_FALSE(opencl::icd_files().at(0).resolved.empty());
        }
        fs::current_path(before);
    }
    const Setting setting("/nowhere");
    setenv("OPENCL_VENDOR_PATH", drivers.path.c_str(), 1);
    CHECK(opencl::icd_files().size() == 1);
    setenv("OCL_ICD_VENDORS", "", 1); // counts as not set
    CHECK(opencl::icd_files().size() >= 5);
    unsetenv("OPENCL_VENDOR_PATH");
}

TEST_CASE("half is believed after a run only") {
    const DriverFolder beside = drivers_in("half");
    const auto library = pocl_library();
    if (library.empty())
        return;
    if (!in_child())
        beside.add_file("pocl.icd", library + '\n');
    if (respawned("half is believed after a run only", alone(beside, beside.path.string())))
        return;
    const auto backend = make_backend();
    REQUIRE_FALSE(backend->enumerate().devices.empty());
    const bool offered = backend->open(0)->capabilities().f16_arithmetic;
    claim_extension("cl_khr_fp16");
    for (int i = 0; i < 2; ++i) { // the second time from memory
        const auto device = backend->open(0);
        CHECK(device->capabilities().f16_arithmetic == offered);
        const std::string source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                   "kernel void f(global float* x) { half h = (half)x[0]; x[0] = (float)(h * h); }";
        if (!offered)
            error_text(ErrorCode::build_failed, [&] { kernel(*device, source, "f"); });
        const auto plain = kernel(*device, "kernel void f(global float* x) { x[0] = 1; }", "f");
        CHECK(plain != nullptr); // the device is good for everything else
    }
    clear_faults();
}
