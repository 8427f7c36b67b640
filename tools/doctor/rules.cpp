#include "rules.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

bool integrated(const Pci& gpu) { return gpu.vendor == "intel" && (gpu.address.ends_with(":00:02.0") || gpu.boots); }

} // namespace

std::string driver_version(const Facts& facts) {
    const std::string& module = facts.kernel.module("nvidia").version;
    if (!module.empty())
        return module;
    const std::string& library = facts.library("libcuda.so.1").version;
    return holds(library, ".") ? library : std::string();
}

Findings diagnose(const Facts& facts) {
    Findings findings(facts);
    judge_pci(facts, findings);
    judge_containers(facts, findings);
    judge_icd_files(facts, findings);
    for (const Pci& gpu : facts.gpus) {
        if (findings.prevented(gpu.address))
            continue;
        const bool nvidia = gpu.vendor == "nvidia";
        nvidia ? judge_nvidia_kernel(facts, gpu, findings) : judge_drm_kernel(facts, gpu, findings);
        if (findings.prevented(gpu.address)) // what follows would only repeat it
            continue;
        nvidia ? judge_nvidia_nodes(facts, gpu, findings) : judge_drm_nodes(facts, gpu, findings);
        if (nvidia) {
            judge_libcuda(facts, &gpu, findings);
            if (facts.library("libcuda.so.1").taken >= 0) // else it comes with what brings that
                judge_nvrtc(facts, &gpu, findings);
        }
        judge_opencl(facts, gpu, findings);
        if (gpu.vendor == "amd")
            judge_rocm(facts, gpu, findings);
    }
    judge_hiding(facts, findings);
    judge_cuda_versions(facts, findings);
    judge_environment(facts, findings);
    judge_processor(facts, findings);
    judge_trial(facts, findings);

    // What has run can be used, whatever its files look like; and the one that draws the screen of a laptop may rest.
    for (const Pci& gpu : facts.gpus) {
        const bool runs = std::any_of(facts.trial.devices.begin(), facts.trial.devices.end(),
                                      [&](const TrialDevice& one) { return one.passed && one.pci == gpu.address; });
        const bool other = std::any_of(facts.gpus.begin(), facts.gpus.end(), [&](const Pci& one) {
            return one.address != gpu.address && !findings.prevented(one.address);
        });
        if (runs || (integrated(gpu) && other))
            findings.lower(gpu.address);
    }
    return findings;
}

} // namespace devq::doctor
