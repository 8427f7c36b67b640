#include "pci.hpp"
#include "pci_ids.hpp"
#include "selector.hpp"
#include "unavailable.hpp"
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

/// The render node of the device, where the kernel has made one.
std::string render_node(const fs::path& device) {
    for (const fs::path& entry : entries_of(device / "drm"))
        if (const std::string name = entry.filename(); name.rfind("renderD", 0) == 0)
            return name;
    return {};
}

/// Why the device cannot be used, as far as its kernel driver and its files tell.
void judge(Unavailable& fault, const Maker& maker, const std::string& what, const std::string& driver,
           const std::string& node, const fs::path& root) {
    const auto say = [&](const char* code, const std::string& reason, std::string remedy) {
        fault.code = code;
        fault.reason = what + ": " + reason;
        fault.remedy = std::move(remedy);
    };
    const std::string shown = "/dev/dri/" + node;
    const int refusal = node.empty() || access((root / "dev/dri" / node).c_str(), R_OK | W_OK) == 0 ? 0 : errno;
    if (driver == "vfio-pci" || driver == "pci-stub")
        say("permission", "it is set aside for virtual machines (kernel driver " + driver + ")",
            "Bind it to " + std::string(maker.kernel_driver) + " to use it here.");
    else if (driver.empty())
        say("driver_broken", "no kernel driver is bound to it",
            "Load the kernel driver (modprobe " + std::string(maker.kernel_driver) +
                ") and look into the kernel's log. " + std::string(maker.remedy));
    else if (refusal == EACCES)
        say("permission", shown + ": permission denied",
            "Add this user to the group that owns " + shown + " (render or video) and log in again.");
    else if (refusal == ENOENT && maker.key != "nvidia") // NVIDIA's own files are others
        say("permission", shown + " is not there, though the kernel has the device",
            "In a container, start it with the device (--device " + shown + ").");
    else if (driver == "nouveau")
        say("library_missing", "no backend offers it (kernel driver nouveau, which runs no kernels)",
            std::string(maker.remedy));
    else
        say("library_missing", "no backend offers it (kernel driver " + driver + ")", std::string(maker.remedy));
}

} // namespace

std::vector<PciGpu> scan_pci(const fs::path& root) {
    std::vector<PciGpu> gpus;
    std::error_code ignored;
    for (const fs::path& folder : entries_of(root / "sys/bus/pci/devices")) {
        const std::string vendor = first_word(folder / "vendor"), kind = first_word(folder / "class");
        const auto* maker =
            std::find_if(std::begin(makers), std::end(makers), [&](const Maker& m) { return m.vendor_id == vendor; });
        // 03: display controllers. 12: accelerators, as data centre GPUs of AMD and NVIDIA may call themselves.
        const bool gpu = kind.rfind("0x03", 0) == 0 || (kind.rfind("0x12", 0) == 0 && vendor != "0x8086");
        const std::string address = normal_pci(folder.filename().string());
        if (maker == std::end(makers) || !gpu || address.empty())
            continue;

        const std::string device = first_word(folder / "device");
        const std::string maker_id = vendor.substr(2), model = device.rfind("0x", 0) == 0 ? device.substr(2) : device;
        const std::string numbers = maker_id + ":" + model;
        const std::string name = pci_name(pci_ids_file(root), maker_id, model);
        const std::string driver = fs::read_symlink(folder / "driver", ignored).filename();

        PciGpu found;
        found.address = address;
        found.vendor = maker->key;
        found.what = std::string(maker->name) + " GPU " + (name.empty() ? numbers : name + " (" + numbers + ")") +
                     " at " + address;
        found.entry.pci = address;
        judge(found.entry, *maker, found.what, driver, render_node(folder), root);
        complete(found.entry);
        gpus.push_back(std::move(found));
    }
    std::sort(gpus.begin(), gpus.end(), [](const PciGpu& a, const PciGpu& b) { return a.address < b.address; });
    return gpus;
}

Unavailable explain_idle(const PciGpu& gpu, const std::vector<Unavailable>& said, const char* visible) {
    if (gpu.entry.code != "library_missing") // the kernel driver and its files come first
        return gpu.entry;
    const auto about = [&](const Unavailable& entry) {
        return entry.pci.empty() ? gpu.vendor == "nvidia" && entry.backend == "cuda" : entry.pci == gpu.address;
    };
    const auto found = std::find_if(said.begin(), said.end(), about);
    Unavailable entry = gpu.entry;
    if (found == said.end() && gpu.vendor == "nvidia" && visible != nullptr) {
        entry.code = "hidden_by_environment";
        entry.reason = gpu.what + ": CUDA_VISIBLE_DEVICES=\"" + visible + "\" does not name it";
        entry.remedy = "Unset CUDA_VISIBLE_DEVICES, or list this device in it too.";
    }
    if (found == said.end())
        return entry;
    entry = *found;
    entry.backend.clear();
    entry.pci = gpu.address;
    entry.reason = gpu.what + ": " + found->backend + ": " + found->reason;
    return entry;
}

} // namespace devq::detail
