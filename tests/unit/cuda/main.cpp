// The loader reads LD_LIBRARY_PATH once, when a program starts: this one starts itself again with the stand-in driver.
#define DOCTEST_CONFIG_IMPLEMENT
#include "../devices/support.hpp"
#include "support.hpp"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace {

bool nvrtc_is_there() {
    const char* named = std::getenv("DEVQ_NVRTC");
    if (named != nullptr && *named != '\0')
        return true;
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                             "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib/libnvrtc.so.13"})
        if (dlopen(name, RTLD_LAZY | RTLD_LOCAL) != nullptr)
            return true;
    return false;
}

void set(const char* name, const std::string& value, bool over = true) { setenv(name, value.c_str(), over); }

} // namespace

int main(int count, char** words) {
    if (std::getenv("DEVQ_TEST_VIRTUAL") == nullptr) {
        const std::filesystem::path build = support::build_folder();
        const char* before = std::getenv("LD_LIBRARY_PATH");
        set("LD_LIBRARY_PATH",
            (build / "tests/virtual_cuda").string() + (before != nullptr ? ":" + std::string(before) : ""));
        set("DEVQ_TEST_VIRTUAL", "1");
        set("VIRTUAL_CUDA_DEVICES", devq::cuda_test::standard_devices, false);
        set("DEVQ_CACHE", "0", false);
        for (const char* other :
             {"CUDA_VISIBLE_DEVICES", "DEVQ_DEVICE", "DEVQ_STRICT", "DEVQ_PATH", "DEVQ_CUBLASLT", "DEVQ_CUDNN"})
            unsetenv(other);
        if (!nvrtc_is_there()) { // enough to list and open devices
            set("DEVQ_NVRTC", support::standin("fake_nvrtc.so").string());
            set("DEVQ_TEST_NO_NVRTC", "1");
        }
        execv("/proc/self/exe", words);
        std::perror("execv");
        return 1;
    }
    return doctest::Context(count, words).run();
}
