#include "pci.hpp"
#include "selector.hpp"
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;

namespace devq::detail {

namespace {

std::string first_word(const fs::path& file) {
    std::ifstream stream(file);
    std::string word;
    stream >> word;
    return word;
}

struct Maker {
    std::string_view vendor_id, key, name, kernel_driver, remedy;
};
constexpr Maker makers[] = {
    {"0x10de", "nvidia", "NVIDIA", "nvidia",
     "Install NVIDIA's driver and its OpenCL part (Debian: nvidia-driver and nvidia-opencl-icd)."},
    {"0x1002", "amd", "AMD", "amdgpu",
     "Install an OpenCL driver for it (ROCm's rocm-opencl-icd, or Debian's mesa-opencl-icd with "
     "RUSTICL_ENABLE=radeonsi)."},
    {"0x8086", "intel", "Intel", "i915", "Install Intel's OpenCL driver (Debian: intel-opencl-icd)."},
};

/// What can be read of a folder; a device may go while it is looked at, which is no reason to throw.
std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error))
        entries.push_back(it->path());
    return entries;
}

/// The render node of the device when it is there and this user may not open it.
std::string forbidden_node(const fs::path& device) {
    for (const fs::path& entry : entries_of(device / "drm")) {
        const std::string name = entry.filename();
        const std::string node = "/dev/dri/" + name;
        if (name.rfind("renderD", 0) == 0 && access(node.c_str(), R_OK | W_OK) != 0 && errno == EACCES)
            return node;
    }
    return {};
}

} // namespace

std::vector<PciGpu> scan_pci(const fs::path& root) {
    std::vector<PciGpu> gpus;
    std::error_code ignored;
    for (const fs::path& folder : entries_of(root / "bus/pci/devices")) {
        const std::string vendor = first_word(folder / "vendor"), kind = first_word(folder / "class");
        const auto* maker =
            std::find_if(std::begin(makers), std::end(makers), [&](const Maker& m) { return m.vendor_id == vendor; });
        // 03: display controllers. 12: accelerators, as data centre GPUs of AMD and NVIDIA may call themselves.
        const bool gpu = kind.rfind("0x03", 0) == 0 || (kind.rfind("0x12", 0) == 0 && vendor != "0x8086");
        const std::string address = normal_pci(folder.filename().string());
        if (maker == std::end(makers) || !gpu || address.empty())
            continue;

        std::string model = first_word(folder / "device");
        model = vendor.substr(2) + ":" + (model.rfind("0x", 0) == 0 ? model.substr(2) : model);
        const std::string driver = fs::read_symlink(folder / "driver", ignored).filename();
        const std::string node = forbidden_node(folder);
        const std::string what = std::string(maker->name) + " GPU " + model + " at " + address + ": ";

        Unavailable fault;
        fault.pci = address;
        fault.remedy = maker->remedy;
        if (driver == "vfio-pci" || driver == "pci-stub") {
            fault.code = "permission";
            fault.reason = what + "it is set aside for virtual machines (kernel driver " + driver + ")";
            fault.remedy = "Bind it to " + std::string(maker->kernel_driver) + " to use it here.";
        } else if (!node.empty()) {
            fault.code = "permission";
            fault.reason = what + node + ": permission denied";
            fault.remedy = "Add this user to the group that owns " + node + " (render or video) and log in again.";
        } else if (driver.empty()) {
            fault.code = "driver_broken";
            fault.reason = what + "no kernel driver is bound to it";
        } else {
            fault.code = "library_missing";
            fault.reason = what + "no backend offers it (kernel driver " + driver + ")";
        }
        gpus.push_back({address, std::string(maker->key), std::move(fault)});
    }
    std::sort(gpus.begin(), gpus.end(), [](const PciGpu& a, const PciGpu& b) { return a.address < b.address; });
    return gpus;
}

} // namespace devq::detail
