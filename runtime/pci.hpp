#pragma once
#include <devq/device.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace devq::detail {

/// A GPU of NVIDIA, AMD or Intel on the PCI bus, with what keeps it from being used as far as the system shows it.
struct PciGpu {
    std::string address; ///< "0000:01:00.0"
    std::string vendor;  ///< "nvidia", "amd", "intel"
    Unavailable entry;   ///< as it is listed when no backend has it
};

/// The GPUs under `root` ("/sys" of the machine; another folder in tests), by address.
std::vector<PciGpu> scan_pci(const std::filesystem::path& root = "/sys");

} // namespace devq::detail
