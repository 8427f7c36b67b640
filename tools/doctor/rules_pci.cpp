// Whether there is a GPU at all, and what keeps it off every driver.
#include "rules.hpp"

namespace devq::doctor {

void judge_pci(const Facts& facts, Findings& findings) {
    const bool windows_gpu = facts.nodes.count("/dev/dxg") != 0 && facts.nodes.at("/dev/dxg").there;
    if (facts.gpus.empty() && !windows_gpu && !facts.kernel.wsl1 && !facts.kernel.wsl2)
        findings.add(CauseId::no_gpu, {},
                     {facts.has_pci ? "/sys/bus/pci/devices: no display controller or accelerator of theirs"
                                    : "/sys/bus/pci: not there, so that this system has no PCI bus"});
    if (facts.gpus.size() > 1) {
        std::vector<std::string> evidence;
        for (const Pci& gpu : facts.gpus)
            evidence.push_back(gpu.what + (gpu.boots ? ", draws the screen" : "") + (gpu.sleeps ? ", asleep" : ""));
        findings.add(CauseId::two_gpus, {{"count", std::to_string(facts.gpus.size())}}, evidence);
    }
    for (const Pci& gpu : facts.gpus) {
        const auto off = facts.kernel.switched_off.find(gpu.address);
        if (off != facts.kernel.switched_off.end())
            findings.add(CauseId::gpu_switched_off, {{"gpu", gpu.what}}, {off->second + ": " + gpu.address + " OFF"},
                         gpu.address);
        else if (gpu.driver == "vfio-pci" || gpu.driver == "pci-stub")
            findings.add(CauseId::vfio_bound,
                         {{"gpu", gpu.what},
                          {"driver", gpu.driver},
                          {"address", gpu.address},
                          {"wanted", gpu.vendor == "nvidia" ? "nvidia"
                                     : gpu.vendor == "amd"  ? "amdgpu"
                                                            : "i915"}},
                         {"/sys/bus/pci/devices/" + gpu.address + "/driver: " + gpu.driver}, gpu.address);
    }
}

} // namespace devq::doctor
