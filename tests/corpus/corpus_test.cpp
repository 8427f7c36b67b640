// Every kernel of the corpus on every device, on the cpu device by the second compiler too, and on the stand-in driver.
#include "../unit/devices/support.hpp"
#include "corpus.hpp"
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>

using namespace devq;

namespace {

constexpr std::size_t least_files = 60;
/// Where the process that runs on the stand-in driver finds its device's name.
constexpr const char* device_variable = "CORPUS_DEVICE";

std::vector<std::string> devices() {
    if (const char* chosen = std::getenv(device_variable))
        return {chosen};
    std::vector<std::string> ids;
    for (const DeviceInfo& device : list_devices().devices)
        ids.push_back(device.id);
    return ids;
}

bool takes(const Device& device, const corpus::File& file) {
    const bool named = file.only.empty() || std::count(file.only.begin(), file.only.end(), device.info().backend) > 0;
    const bool is_standin = std::getenv(device_variable) != nullptr;
    return named && (!file.needs_f64 || device.capabilities().f64) && (file.on_standin || !is_standin);
}

/// All files on one device; how many it took.
std::size_t run_all(const Device& device) {
    std::size_t taken = 0;
    for (const std::filesystem::path& path : corpus::files_in(".")) {
        const std::string name = path.filename();
        CAPTURE(name);
        try {
            const corpus::File file = corpus::read(path);
            if (!takes(device, file))
                continue;
            ++taken;
            const Program program = device.build_file(path, file.options);
            for (const corpus::Run& run : file.runs) {
                CAPTURE(run.kernel);
                for (const std::string& fault : corpus::faults(device, program, run))
                    FAIL_CHECK(fault);
                CHECK(true);
            }
        } catch (const std::exception& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
    return taken;
}

} // namespace

TEST_CASE("corpus: every kernel on every device") {
    const std::size_t files = corpus::files_in(".").size();
    CHECK(files >= least_files);
    const std::vector<std::string> ids = devices();
    REQUIRE_FALSE(ids.empty());
    for (const std::string& id : ids) {
        CAPTURE(id);
        const std::size_t taken = run_all(open_device(id));
        MESSAGE(id << ": " << taken << " of " << files << " files");
        CHECK(taken >= least_files);
    }
}

TEST_CASE("corpus: on the cpu device by the second compiler") {
    constexpr const char* second = "clang++-14";
    if (std::system((std::string(second) + " --version >/dev/null 2>&1").c_str()) != 0) {
        MESSAGE("skipped: second-compiler: " << second << " is not installed");
        return;
    }
    const char* const before = std::getenv("DEVQ_CXX");
    const std::string kept = before ? before : "";
    setenv("DEVQ_CXX", second, 1);
    const Device device = open_device("cpu:0");
    CHECK(run_all(device) >= least_files);
    before ? setenv("DEVQ_CXX", kept.c_str(), 1) : unsetenv("DEVQ_CXX");
}

TEST_CASE("corpus: on the stand-in for a CUDA device") {
    const std::filesystem::path folder = support::build_folder() / "tests" / "virtual_cuda";
    if (std::getenv(device_variable) || !std::filesystem::exists(folder / "libcuda.so.1"))
        return; // this is that process, or CUDA is no part of this build
    const char* const path = std::getenv("LD_LIBRARY_PATH");
    std::map<std::string, std::string> environment{
        {"LD_LIBRARY_PATH", folder.string() + (path ? ":" + std::string(path) : "")},
        {"CUDA_VISIBLE_DEVICES", support::unset}};
    const auto listed = support::run({support::build_folder() / "devq", "list", "cuda"}, environment);
    if (listed.out.find("cuda:0") == listed.out.npos) {
        MESSAGE("skipped: nvrtc: the stand-in shows no device: " << listed.out);
        return;
    }
    environment[device_variable] = "cuda:0";
    const auto result = support::run({std::filesystem::read_symlink("/proc/self/exe"), "-tc=*on every device,*wrong*"},
                                     environment, std::chrono::minutes(5));
    CHECK_MESSAGE(result.status == 0, result.out << result.err);
}
