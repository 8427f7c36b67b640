#pragma once
/// From facts to findings: a function a layer. Each looks at facts only, so that a test can hand it any.

#include "facts.hpp"
#include "findings.hpp"

namespace devq::doctor {

/// All of them.
Findings diagnose(const Facts& facts);

void judge_pci(const Facts& facts, Findings& findings);
void judge_containers(const Facts& facts, Findings& findings);
/// The kernel's driver and the nodes of one GPU; later layers ask findings.prevented() for it.
void judge_nvidia_kernel(const Facts& facts, const Pci& gpu, Findings& findings);
void judge_nvidia_nodes(const Facts& facts, const Pci& gpu, Findings& findings);
void judge_drm_kernel(const Facts& facts, const Pci& gpu, Findings& findings);
void judge_drm_nodes(const Facts& facts, const Pci& gpu, Findings& findings);
/// CUDA's libraries; of `gpu`, or of WSL's where it is null.
void judge_libcuda(const Facts& facts, const Pci* gpu, Findings& findings);
void judge_nvrtc(const Facts& facts, const Pci* gpu, Findings& findings);
void judge_cuda_versions(const Facts& facts, Findings& findings);
void judge_icd_files(const Facts& facts, Findings& findings);
void judge_opencl(const Facts& facts, const Pci& gpu, Findings& findings);
void judge_rocm(const Facts& facts, const Pci& gpu, Findings& findings);
void judge_environment(const Facts& facts, Findings& findings);
void judge_hiding(const Facts& facts, Findings& findings);
void judge_processor(const Facts& facts, Findings& findings);
void judge_trial(const Facts& facts, Findings& findings);

/// The driver's version: the kernel module's, else that of the libraries' files; may be empty.
std::string driver_version(const Facts& facts);
/// A number and a CUDA version, with the file: every NVRTC that devq could take.
struct Compiler {
    int major = 0;
    std::string version; ///< "12.4", or "12" where no more is known
    std::string file;
};
std::vector<Compiler> compilers_of(const Facts& facts);

} // namespace devq::doctor
