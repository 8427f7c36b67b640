#include "driver.hpp"
#include "library.hpp"
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace devq::cuda {

namespace {

constexpr LibraryWords words{
    "NVIDIA's driver", "Install NVIDIA's driver (Debian: nvidia-driver and libcuda1); in a container, start it with "
                       "GPU support (--gpus all)."};

/// A device file of the kernel driver that is there and that this user may not open.
const char* forbidden_file() {
    for (const char* file : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"})
        if (access(file, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM))
            return file;
    return nullptr;
}

bool kernel_driver_loaded() { return access("/proc/driver/nvidia/version", F_OK) == 0; }

std::string_view name_of(abi::Result result) {
    switch (result) {
    case abi::not_initialized:
        return "not initialized";
    case abi::stub_library:
        return "this is the stub library that programs are linked with, not a driver";
    case abi::device_unavailable:
        return "devices are busy or unavailable";
    case abi::no_device:
        return "no CUDA device";
    case abi::invalid_device:
        return "invalid device";
    case abi::operating_system:
        return "an operating system call failed";
    case abi::not_permitted:
        return "not permitted";
    case abi::system_not_ready:
        return "system not ready";
    case abi::system_driver_mismatch:
        return "kernel driver and library are of different versions";
    case abi::compat_not_supported:
        return "the compatibility library does not support this device or driver";
    case abi::unknown:
        return "unknown error";
    default:
        return {};
    }
}

} // namespace

std::optional<Unavailable> load(Driver& driver) {
    std::optional<Unavailable> why;
    const std::optional<Library> library = open_library({"libcuda.so.1"}, words, why);
    if (!library)
        return why;
    SymbolFinder finder(*library);
#define DEVQ_CUDA_FIND(name, symbol, older, ...)                                                                       \
    driver.name = reinterpret_cast<decltype(driver.name)>(finder.find(#symbol, #older));
    DEVQ_CUDA_SYMBOLS(DEVQ_CUDA_FIND)
#undef DEVQ_CUDA_FIND
    return finder.missing("The driver is too old or not NVIDIA's: install a current one.");
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

bool hidden_by_environment() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible == nullptr)
        return false;
    // The driver stops reading at the first entry that names no device.
    const std::string_view first = std::string_view(visible).substr(0, std::string_view(visible).find(','));
    const std::size_t begin = first.find_first_not_of(" \t");
    return begin == std::string_view::npos || first[begin] == '-' || first.substr(begin) == "NoDevFiles";
}

Unavailable explain(const char* call, abi::Result result, int driver_version) {
    std::string reason = std::string(call) + " returned " + std::to_string(result);
    if (const std::string_view name = name_of(result); !name.empty())
        reason += ": " + std::string(name);
    if (driver_version > 0)
        reason += " (driver for CUDA " + version_text(driver_version) + ")";

    if (result == abi::no_device && hidden_by_environment())
        return fault("hidden_by_environment",
                     reason + "; CUDA_VISIBLE_DEVICES=\"" + std::getenv("CUDA_VISIBLE_DEVICES") +
                         "\" hides every device",
                     "Unset CUDA_VISIBLE_DEVICES, or list the devices to use in it (0, or 0,1).");
    // Where the files of the kernel driver cannot be opened, the driver reports whatever comes to its mind.
    if (const char* file = forbidden_file(); file != nullptr || result == abi::not_permitted)
        return fault("permission", file != nullptr ? reason + "; " + file + ": permission denied" : reason,
                     file != nullptr ? "Give this user read and write access to " + std::string(file) +
                                           " (a group such as video or render, or the container's device rules)."
                                     : "Ask the administrator to allow the use of the GPU.");
    switch (result) {
    case abi::no_device: {
        const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
        if (visible != nullptr)
            return fault(
                "no_device", reason + "; CUDA_VISIBLE_DEVICES=\"" + visible + "\"",
                "If there is an NVIDIA GPU, unset CUDA_VISIBLE_DEVICES: it may name a device that does not exist.");
        return fault("no_device", reason,
                     "If there is an NVIDIA GPU, see whether `nvidia-smi` finds it; in a container, start it with GPU "
                     "support (--gpus all).");
    }
    case abi::stub_library:
        return fault(
            "driver_broken", reason,
            "Take the toolkit's stubs folder off the library path (LD_LIBRARY_PATH) and install NVIDIA's driver.");
    case abi::system_driver_mismatch:
    case abi::compat_not_supported:
        return fault("driver_too_old", reason,
                     "Restart the machine if the driver was updated; else update the driver, or take CUDA's "
                     "compatibility libraries off the library path.");
    case abi::system_not_ready:
        return fault("driver_broken", reason,
                     "Start the service that this system needs (nvidia-fabricmanager, on NVSwitch "
                     "machines), and look at `nvidia-smi`.");
    case abi::device_unavailable:
        return fault("driver_broken", reason,
                     "Another process holds the GPU for itself (exclusive mode): end it, or change the mode.");
    default:
        return fault("driver_broken", reason,
                     kernel_driver_loaded()
                         ? "Look at `nvidia-smi` and the kernel's log; restart the machine or install the driver again."
                         : "The kernel driver is not loaded: `modprobe nvidia`, or install NVIDIA's driver again.");
    }
}

} // namespace devq::cuda
