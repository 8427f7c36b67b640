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
    std::string what;    ///< "NVIDIA GPU GH100 [H100 PCIe] (10de:2331) at 0000:01:00.0"
    Unavailable entry;   ///< as it is listed when no backend has it and none says why
};

/// The GPUs of the system whose root folder (sys/, dev/, usr/share/) is `root`, by address.
std::vector<PciGpu> scan_pci(const std::filesystem::path& root = "/");

/// What is listed for `gpu`, which no backend offers: where one has said why (in `said`: about this address, or CUDA
/// about NVIDIA's devices as a whole), its words count, else the system's. `visible`: CUDA_VISIBLE_DEVICES, or null.
Unavailable explain_idle(const PciGpu& gpu, const std::vector<Unavailable>& said, const char* visible);

} // namespace devq::detail
