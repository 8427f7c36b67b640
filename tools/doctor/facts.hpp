#pragma once
/// What was found on a machine, layer by layer: plain data. gather() fills it by looking at files, and by nothing else;
/// the rules (rules.hpp) read it.

#include "loader.hpp"
#include "system.hpp"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace devq::doctor {

struct Distribution {
    std::string id, name; ///< "ubuntu", "Ubuntu 24.04 LTS"
    std::string packages; ///< "ubuntu", "apt", "dnf", "pacman", "zypper", or "" where unknown
};

struct Pci {
    std::string address; ///< "0000:01:00.0"
    std::string vendor;  ///< "nvidia", "amd", "intel"
    std::string numbers; ///< "10de:2684"
    std::string name;    ///< of pci.ids; may be empty
    std::string what;    ///< "NVIDIA GPU AD102 [GeForce RTX 4090] (10de:2684) at 0000:01:00.0"
    std::string driver;  ///< bound kernel driver; may be empty
    std::string render_node, card_node;
    std::string chip;   ///< NVIDIA's: versions.hpp, chip_family()
    std::string target; ///< AMD's: "1030" of gfx1030, where /sys/class/kfd says so
    bool boots = false; ///< shows the console
    bool sleeps = false;
};

/// A kernel module by name.
struct Module {
    std::string name, version;
    bool loaded = false;
    std::string file;                       ///< that of the running kernel, or "built in"; empty where there is none
    bool is_signed = false;                 ///< the file ends as signed ones do
    std::vector<std::string> other_kernels; ///< kernels that have it, where the running one has not
    std::string blocked_by;                 ///< "/etc/modprobe.d/x.conf: blacklist nvidia"
};

struct Kernel {
    std::string release, command_line;
    bool wsl1 = false, wsl2 = false;
    std::optional<bool> secure_boot;
    bool has_headers = false;              ///< what DKMS builds with
    std::vector<std::string> dkms_nvidia;  ///< folders where DKMS has the source of NVIDIA's module, a version each
    std::string nvidia_kind;               ///< "open" or "proprietary", of the loaded one
    std::map<std::string, Module> modules; ///< nvidia, nvidia_uvm, nouveau, amdgpu, radeon, i915, xe
    std::string container;                 ///< "docker", "podman", "kubernetes", "lxc", ...; empty on no container
    bool nodes_of_mig = false;             ///< MIG instances exist
    std::vector<std::string> mig_nodes;    ///< their nodes that this user may not open
    std::map<std::string, std::string> switched_off; ///< PCI address → file that says so
    std::map<std::string, std::string> uuids;        ///< of NVIDIA GPUs, by PCI address
    bool has_amd_firmware = false;
    const Module& module(const std::string& name) const;
};

struct Library {
    std::string soname;
    std::vector<Candidate> candidates;
    int taken = -1;      ///< index in candidates
    std::string version; ///< of the taken one, from its file's name; may be the soname's number alone
    std::vector<MissingDependency> missing;
    std::string uncached;               ///< folder that has it, while the loader's cache has not
    std::vector<std::string> elsewhere; ///< files of that name in usual folders where the loader does not look

    const Candidate* file() const { return taken < 0 ? nullptr : &candidates[static_cast<std::size_t>(taken)]; }
    bool loads() const { return taken >= 0 && missing.empty(); }
};

struct Toolkit {
    std::string folder, target; ///< "/usr/local/cuda", and where that leads
    std::string version;        ///< "12.4.1"; may be empty
    bool has_compiler = false, has_libraries = false;
    bool alone = false; ///< its folder holds nothing else: not /usr, and no environment of conda's
};

struct Icd {
    std::string file, library; ///< the .icd file, and its first line
    std::string problem;       ///< of the file: "cannot be read", "names no library in its first line"
    std::string maker;         ///< "nvidia", "amd", "intel", "rusticl", "clover", "pocl", or ""
    std::vector<Candidate> candidates;
    int taken = -1;
    std::vector<MissingDependency> missing;
};

struct IcdFacts {
    std::string variable, setting; ///< OCL_ICD_VENDORS or OPENCL_VENDOR_PATH, where one is set
    std::string folder;            ///< where the loader looks
    bool folder_there = false;
    std::vector<Icd> icds;
    std::vector<std::string> hidden; ///< files of the default folder that the setting leaves out
};

struct Processor {
    std::string name;
    std::string isa;                    ///< "v2", "v3", "v4"; "v1" below; empty where unknown (no x86)
    std::vector<std::string> compilers; ///< C++ compilers on the PATH
};

/// What came of allocating, copying, compiling, launching and comparing on a device.
struct TrialDevice {
    std::string id, name, backend, type, pci;
    bool is_default = false, passed = false;
    std::string error;
    double ms = 0;
};
struct TrialMissing {
    std::string backend, code, reason, remedy, pci;
};
struct Trial {
    bool ran = false;
    std::vector<TrialDevice> devices;
    std::vector<TrialMissing> missing;
    std::string ended; ///< how the trial's process ended too early, and where; else empty
};

struct Facts {
    Distribution distribution;
    User user;
    std::string user_name;
    std::vector<Pci> gpus;
    bool has_pci = false;
    Kernel kernel;
    std::map<std::string, Node> nodes;         ///< those that there are or should be
    std::map<std::string, std::string> owners; ///< node → "root:render"
    std::map<std::string, Library> libraries;
    std::string glibc;
    std::vector<Toolkit> toolkits;         ///< each once, the default one first
    std::vector<std::string> nvcc_on_path; ///< toolkits' folders, in the PATH's order
    std::string rocm;                      ///< version
    IcdFacts icd;
    Processor processor;
    std::map<std::string, std::string> environment;
    std::vector<std::string> variable_folders;   ///< of LD_LIBRARY_PATH
    std::vector<std::string> missing_folders;    ///< those that are not there
    std::map<std::string, std::string> unusable; ///< variable that names a file or folder → what is wrong with that
    Trial trial;

    const Library& library(const std::string& soname) const;
    std::string variable(const std::string& name) const; ///< "" where unset
    bool is_set(const std::string& name) const { return environment.count(name) != 0; }
    /// The version of the first of these libraries that loads.
    const Library* first_of(const std::vector<std::string>& sonames) const;
    bool has_gpu(const std::string& vendor) const;
};

Facts gather(const System& system);

// One part of it each; gather() calls them in this order.
void gather_computer(const System& system, Facts& facts);
void gather_kernel(const System& system, Facts& facts);
void gather_pci(const System& system, Facts& facts);
void gather_nodes(const System& system, Facts& facts);
void gather_libraries(const System& system, Facts& facts);
void gather_toolkits(const System& system, Facts& facts);
void gather_icds(const System& system, const Loader& loader, Facts& facts);
void gather_environment(const System& system, Facts& facts);

} // namespace devq::doctor
