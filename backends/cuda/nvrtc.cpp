#include "nvrtc.hpp"
#include "driver.hpp"
#include "library.hpp"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace devq::cuda {

namespace {

constexpr LibraryWords words{
    "CUDA's NVRTC",
    "Install NVRTC, the compiler of kernels, for this driver's version of CUDA (part of the CUDA toolkit; "
    "or `pip install nvidia-cuda-nvrtc`), and let DEVQ_NVRTC name its libnvrtc.so file where the loader does not find "
    "it."};

/// NVRTC opens its built-ins by name alone, and has no run path: where it was found by its own path (a package of
/// PyPI's) the loader would not find them, or take another version's. Those beside it are opened first, and stay.
void load_builtins(const Library& library) {
    void* const any = dlsym(library.handle, "nvrtcVersion");
    Dl_info place{};
    if (any == nullptr || dladdr(any, &place) == 0 || place.dli_fname == nullptr || place.dli_fname[0] != '/')
        return;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(place.dli_fname).parent_path();
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (const std::string name = at->path().filename().string(); name.starts_with("libnvrtc-builtins.so."))
            dlopen(at->path().c_str(), RTLD_NOW | RTLD_LOCAL); // where it fails, NVRTC says so when it compiles
}

} // namespace

std::optional<Unavailable> load(Nvrtc& compiler, int driver_version) {
    std::optional<Unavailable> why;
    const std::optional<Library> library = open_library(
        toolkit_candidates("DEVQ_NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}, driver_version),
        words, why);
    if (!library)
        return why;
    load_builtins(*library);
    compiler.file = library->name;
    SymbolFinder finder(*library);
#define DEVQ_NVRTC_FIND(name, symbol, older, ...)                                                                      \
    compiler.name = reinterpret_cast<decltype(compiler.name)>(finder.find(#symbol, #older));
    DEVQ_NVRTC_SYMBOLS(DEVQ_NVRTC_FIND)
#undef DEVQ_NVRTC_FIND
    if (auto missing = finder.missing("This NVRTC is too old: install that of CUDA 11.2 or newer."))
        return missing;
    int count = 0;
    const char* call = "nvrtcVersion";
    abi::CompilerResult status = compiler.version(&compiler.major, &compiler.minor);
    if (status == abi::compiler_success) {
        call = "nvrtcGetNumSupportedArchs";
        status = compiler.architecture_count(&count);
    }
    if (status == abi::compiler_success) {
        compiler.supported.resize(static_cast<std::size_t>(std::max(count, 0)));
        call = "nvrtcGetSupportedArchs";
        status = compiler.architectures(compiler.supported.data());
    }
    if (status != abi::compiler_success)
        return fault("driver_broken", compiler.file + ": " + call + " returned " + std::to_string(status),
                     "Install NVRTC again, or let DEVQ_NVRTC name another one.");
    std::sort(compiler.supported.begin(), compiler.supported.end());
    return std::nullopt;
}

std::optional<Target> target_for(const Nvrtc& compiler, int capability) {
    const auto above = std::upper_bound(compiler.supported.begin(), compiler.supported.end(), capability);
    if (above == compiler.supported.begin())
        return std::nullopt;
    const int architecture = *(above - 1);
    return Target{architecture, architecture == capability};
}

std::optional<Unavailable> obstacle(const Nvrtc& compiler, int capability, int driver_version) {
    const std::string version = std::to_string(compiler.major) + "." + std::to_string(compiler.minor);
    const auto target = target_for(compiler, capability);
    if (!target)
        return fault("unsupported_architecture",
                     "compute capability " + std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                         ": NVRTC " + version + " (" + compiler.file + ") compiles for " +
                         (compiler.supported.empty() ? "nothing"
                                                     : std::to_string(compiler.supported.front() / 10) + "." +
                                                           std::to_string(compiler.supported.front() % 10)) +
                         " and newer",
                     "Install the NVRTC of an older CUDA, and let DEVQ_NVRTC name its libnvrtc.so file.");
    // Within one major version of CUDA a driver runs machine code of newer compilers, but reads no newer PTX.
    const bool newer_major = compiler.major > driver_version / 1000;
    const bool newer = compiler.major * 1000 + compiler.minor * 10 > driver_version;
    if (driver_version > 0 && (newer_major || (newer && !target->machine_code)))
        return fault("driver_too_old",
                     "the driver is for CUDA " + version_text(driver_version) + ", too old for " +
                         (target->machine_code ? "code" : "PTX") + " of NVRTC " + version + " (" + compiler.file + ")",
                     "Update the driver, or install the NVRTC of CUDA " + std::to_string(driver_version / 1000) +
                         " (`pip install nvidia-cuda-nvrtc-cu" + std::to_string(driver_version / 1000) +
                         "`) and let DEVQ_NVRTC name its libnvrtc.so file.");
    return std::nullopt;
}

} // namespace devq::cuda
