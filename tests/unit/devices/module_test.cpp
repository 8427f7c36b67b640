#include "expect.hpp"
#include "module.hpp"
#include "support.hpp"
#include <fstream>
#include <unistd.h>

using namespace devq::detail;
namespace fs = std::filesystem;

namespace {

/// Loads a copy of a stand-in as the backend "test", from a folder where nothing else is but `beside`.
LoadedModule load(const std::string& name, const std::vector<std::string>& beside = {}) {
    static std::vector<std::unique_ptr<support::Folder>> kept; // a loaded module's file outlives it
    kept.push_back(std::make_unique<support::Folder>());
    const fs::path folder = kept.back()->path;
    fs::copy_file(support::standin("standin-" + name + ".so"), folder / "libdevq-test.so");
    for (const std::string& library : beside)
        fs::copy_file(support::standin(library), folder / library);
    return load_module("test", {folder});
}

void check_failure(const LoadedModule& loaded, const std::string& code, const std::string& reason) {
    CHECK(loaded.module == nullptr);
    CHECK(loaded.failure.backend == "test");
    CHECK(loaded.failure.code == code);
    CAPTURE(loaded.failure.reason);
    CHECK(holds(loaded.failure.reason, reason));
    CHECK_FALSE(loaded.failure.remedy.empty());
}

} // namespace

TEST_CASE("a good module is loaded") {
    const LoadedModule loaded = load("good");
    REQUIRE(loaded.module != nullptr);
    CHECK(bool(loaded.module->create));
    CHECK(loaded.path.filename() == "libdevq-test.so");
}

TEST_CASE("a module of another contract is refused with both versions") {
    check_failure(load("version"), "driver_broken", "version " + std::to_string(devq::backend::contract_version + 7));
    check_failure(load("version"), "driver_broken", "has version " + std::to_string(devq::backend::contract_version));
    const devq::backend::Module expected;
    check_failure(load("size"), "driver_broken", std::to_string(expected.contract_size + 8) + " bytes");
    check_failure(load("release"), "driver_broken", "of devq 0.0.7; this is devq " DEVQ_VERSION_STRING);
    check_failure(load("null"), "driver_broken", "describes no backend");
    check_failure(load("create"), "driver_broken", "cannot make its backend");
}

TEST_CASE("a library that is no module is refused") {
    check_failure(load("entry"), "symbol_missing", "undefined symbol: devq_backend_module");
}

TEST_CASE("the loader's own words, and what they mean") {
    check_failure(load("symbol"), "symbol_missing", "undefined symbol: devq_test_symbol_that_nobody_has");
    check_failure(load("library"), "library_missing", "libdevq_test_vendor.so: cannot open shared object file");
    const LoadedModule deep = load("dependency", {"libdevq_test_middle.so"});
    check_failure(deep, "dependency_missing", "libdevq_test_vendor.so: cannot open shared object file");
    CHECK(holds(deep.failure.remedy, "libdevq_test_vendor.so"));
    check_failure(load("dependency"), "library_missing", "libdevq_test_middle.so");
    // last, since the loader finds by name what it has once loaded
    CHECK(load("library", {"libdevq_test_vendor.so"}).module != nullptr);
}

TEST_CASE("files that are no libraries") {
    const support::Folder folder;
    const fs::path file = folder.path / "libdevq-test.so";
    std::ofstream(file) << "not a library\n";
    check_failure(load_module("test", {folder.path}), "driver_broken", file.string());
    std::ofstream(file) << "";
    check_failure(load_module("test", {folder.path}), "driver_broken", file.string());
    fs::resize_file(file, 0);
    check_failure(load_module("test", {folder.path}), "driver_broken", "too short");
    fs::remove(file);
    fs::create_directory(file);
    check_failure(load_module("test", {folder.path}), "driver_broken", file.string());
    if (geteuid() != 0) { // root reads everything
        fs::remove(file);
        std::ofstream(file) << "x";
        fs::permissions(file, fs::perms::none);
        check_failure(load_module("test", {folder.path}), "permission", "Permission denied");
    }
}

TEST_CASE("a module that is nowhere, and the order of folders") {
    const support::Folder first, second;
    const LoadedModule nowhere = load_module("test", {first.path, second.path});
    check_failure(nowhere, "library_missing", "libdevq-test.so: not found in " + first.path.string() + ", ");
    CHECK(holds(nowhere.failure.remedy, "DEVQ_BACKEND_PATH"));
    check_failure(load_module("test", {}), "library_missing", "not found in any folder");

    fs::copy_file(support::standin("standin-version.so"), second.path / "libdevq-test.so");
    CHECK(load_module("test", {first.path, second.path}).failure.code == "driver_broken");
    fs::copy_file(support::standin("standin-entry.so"), first.path / "libdevq-test.so");
    CHECK(load_module("test", {first.path, second.path}).failure.code == "symbol_missing");
}

TEST_CASE("where modules are looked for") {
    setenv("DEVQ_BACKEND_PATH", "/one:relative:::./two:/three/four", 1);
    const auto folders = module_folders();
    unsetenv("DEVQ_BACKEND_PATH");
    REQUIRE(folders.size() == 4);
    CHECK(folders[0] == support::build_folder());
    CHECK(folders[1] == support::build_folder() / "devq");
    CHECK(folders[2] == "/one");
    CHECK(folders[3] == "/three/four");

    const fs::path here = fs::current_path();
    const support::Folder elsewhere;
    fs::current_path(elsewhere.path);
    CHECK(module_folders().size() == 2);
    CHECK(module_folders()[0] == support::build_folder());
    fs::current_path(here);
}
