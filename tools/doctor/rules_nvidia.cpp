// NVIDIA's kernel module and its nodes.
#include "rules.hpp"
#include "versions.hpp"

namespace devq::doctor {

namespace {

std::string driver_link(const Pci& gpu) {
    return "/sys/bus/pci/devices/" + gpu.address + "/driver: " + (gpu.driver.empty() ? "none" : gpu.driver);
}

/// The newest branch of drivers that still knows the family, where newer ones do not.
std::string last_branch(const std::string& chip) {
    const std::string_view below = limit_of("chip", chip, "driver_below");
    return below.empty() ? std::string() : std::to_string(major_of(below) - 1);
}

/// A driver is to be installed: the newest one, or for an old GPU the newest that still knows it.
void add_missing_driver(CauseId cause, const Pci& gpu, std::vector<std::string> evidence, Findings& findings) {
    evidence.insert(evidence.begin(), driver_link(gpu));
    const std::string last = last_branch(gpu.chip);
    if (last.empty()) {
        findings.add(cause, {{"gpu", gpu.what}, {"module", "nvidia"}}, std::move(evidence), gpu.address);
        return;
    }
    evidence.push_back("chip: " + gpu.name);
    const int branch = std::stoi(last);
    const bool current = branch > 535; // Debian 12's own
    findings.add(CauseId::nvidia_legacy_driver_absent,
                 {{"gpu", gpu.what},
                  {"family", std::string(family_name(gpu.chip))},
                  {"last", last},
                  {"apt_package", current         ? "nvidia-driver"
                                  : branch >= 470 ? "nvidia-tesla-" + last + "-driver"
                                                  : "nvidia-legacy-" + last + "xx-driver"},
                  {"generation", current         ? "G06"
                                 : branch >= 470 ? "G05"
                                                 : "G04"}},
                 std::move(evidence), gpu.address);
}

/// The module is loaded and has left the GPU alone: does the table know why?
void judge_unbound(const Facts& facts, const Pci& gpu, Findings& findings) {
    const std::string driver = driver_version(facts), family(family_name(gpu.chip));
    const std::vector<std::string> evidence{driver_link(gpu), "/sys/module/nvidia/version: " + driver,
                                            "chip: " + gpu.name};
    const std::string_view below = limit_of("chip", gpu.chip, "driver_below");
    const std::string_view first = limit_of("chip", gpu.chip, "driver");
    const std::string_view open = limit_of("chip", gpu.chip, "open_module");
    const bool proprietary = open == "no";
    if (!driver.empty() && !below.empty() && !older(driver, below))
        findings.add(CauseId::gpu_needs_legacy_driver,
                     {{"gpu", gpu.what}, {"family", family}, {"driver", driver}, {"last", last_branch(gpu.chip)}},
                     evidence, gpu.address);
    else if (!driver.empty() && !first.empty() && older(driver, first))
        findings.add(CauseId::gpu_needs_newer_driver,
                     {{"gpu", gpu.what}, {"family", family}, {"driver", driver}, {"first", std::string(first)}},
                     evidence, gpu.address);
    else if ((open == "yes" && facts.kernel.nvidia_kind == "proprietary") ||
             (proprietary && facts.kernel.nvidia_kind == "open"))
        findings.add(
            CauseId::wrong_module_kind,
            {{"gpu", gpu.what},
             {"wanted", proprietary ? "proprietary" : "open"},
             {"kind", facts.kernel.nvidia_kind},
             {"apt_package", proprietary ? "nvidia-kernel-dkms" : "nvidia-open-kernel-dkms"},
             {"ubuntu_package", "nvidia-driver-" + std::to_string(major_of(driver)) + (proprietary ? "" : "-open")},
             {"dnf_package", proprietary ? "akmod-nvidia" : "akmod-nvidia-open"},
             {"pacman_package", proprietary ? "nvidia" : "nvidia-open"}},
            {driver_link(gpu), "/proc/driver/nvidia/version: " + facts.kernel.nvidia_kind + " modules"}, gpu.address);
    else
        findings.add(CauseId::driver_does_not_bind, {{"gpu", gpu.what}, {"module", "nvidia"}}, evidence, gpu.address);
}

} // namespace

void judge_nvidia_kernel(const Facts& facts, const Pci& gpu, Findings& findings) {
    const Module& module = facts.kernel.module("nvidia");
    const Library& cuda = facts.library("libcuda.so.1");
    const std::string kernel = facts.kernel.release;
    const std::string modules = "/lib/modules/" + kernel;
    const auto add = [&](CauseId cause, std::vector<std::string> evidence, Values values = {}) {
        values.emplace("gpu", gpu.what);
        values.emplace("module", "nvidia");
        evidence.insert(evidence.begin(), driver_link(gpu));
        findings.add(cause, values, std::move(evidence), gpu.address);
    };
    const bool installed =
        !module.file.empty() || !module.other_kernels.empty() || cuda.taken >= 0 || !facts.kernel.dkms_nvidia.empty();
    if (gpu.driver == "nouveau") {
        if (!module.file.empty())
            return add(CauseId::nouveau_holds_gpu, {"NVIDIA's module: " + module.file});
        if (!installed)
            return add_missing_driver(CauseId::nouveau_in_use, gpu,
                                      {modules + ": no module nvidia", "libcuda.so.1: not there"}, findings);
        // Parts of NVIDIA's driver and no module for this kernel: without nouveau the GPU would have no driver at all.
    }
    if (gpu.driver == "nvidia") {
        const std::string& library = cuda.version;
        if (cuda.taken >= 0 && holds(library, ".") && !module.version.empty() && library != module.version &&
            !holds(cuda.file()->target, "/stubs/") && !holds(cuda.file()->target, "/compat/")) // made to be newer
            add(CauseId::driver_library_mismatch,
                {"/sys/module/nvidia/version: " + module.version, cuda.file()->path + " → " + cuda.file()->target},
                {{"module_version", module.version}, {"library_version", library}});
        return;
    }
    if (module.loaded)
        return judge_unbound(facts, gpu, findings);
    if (!module.blocked_by.empty())
        return add(CauseId::module_blocked, {module.blocked_by});
    if (!module.file.empty()) {
        if (facts.kernel.secure_boot.value_or(false))
            return add(CauseId::secure_boot,
                       {"SecureBoot: on", module.file + (module.is_signed ? ": signed" : ": not signed")},
                       {{"signature", module.is_signed ? "its key is not enrolled" : "it is not signed"}});
        return add(CauseId::module_not_loaded, {module.file + ": there", "/sys/module/nvidia: not there"});
    }
    const bool source = !facts.kernel.dkms_nvidia.empty();
    const std::string dkms = source ? facts.kernel.dkms_nvidia.back() + ": its source" : "";
    if (source && !facts.kernel.has_headers)
        add(CauseId::kernel_headers_missing, {dkms, modules + "/build: not there"});
    else if (source || !module.other_kernels.empty())
        add(CauseId::module_not_for_kernel,
            {modules + ": no module nvidia",
             module.other_kernels.empty() ? dkms : "/lib/modules/" + module.other_kernels.back() + ": has it"});
    else if (cuda.taken >= 0)
        add_missing_driver(CauseId::kernel_module_missing, gpu,
                           {modules + ": no module nvidia", "libcuda.so.1: " + cuda.file()->path}, findings);
    else
        add_missing_driver(CauseId::nvidia_driver_absent, gpu,
                           {modules + ": no module nvidia", "libcuda.so.1: not there"}, findings);
}

void judge_nvidia_nodes(const Facts& facts, const Pci& gpu, Findings& findings) {
    std::vector<std::string> missing;
    std::string own; // the GPU's: /dev/nvidia0, or another where there are several
    for (int i = 0; i < 16 && own.empty(); ++i)
        if (const auto node = facts.nodes.find("/dev/nvidia" + std::to_string(i));
            node != facts.nodes.end() && node->second.there)
            own = node->first;
    if (own.empty())
        missing.emplace_back("/dev/nvidia0");
    if (!facts.nodes.at("/dev/nvidiactl").there)
        missing.emplace_back("/dev/nvidiactl");
    if (!missing.empty()) {
        std::string names;
        for (const std::string& name : missing)
            names += (names.empty() ? "" : ", ") + name;
        findings.add(CauseId::nvidia_nodes_missing, {{"gpu", gpu.what}, {"nodes", names}},
                     {names + ": not there", driver_link(gpu)}, gpu.address);
        return;
    }
    for (const std::string& path : {own, std::string("/dev/nvidiactl"), std::string("/dev/nvidia-uvm")}) {
        const Node& node = facts.nodes.at(path);
        if (!node.there) {
            findings.add(CauseId::nvidia_uvm_missing, {},
                         {path + ": not there", std::string("/sys/module/nvidia_uvm: ") +
                                                    (facts.kernel.module("nvidia_uvm").loaded ? "there" : "not there")},
                         gpu.address);
            continue;
        }
        if (node.usable)
            continue;
        const std::string owner = facts.owners.at(path), group = owner.substr(owner.find(':') + 1);
        const bool by_group = (node.mode & 060u) == 060u && group != "root";
        findings.add(
            CauseId::nvidia_node_permission,
            {{"node", path},
             {"rights", node.rights()},
             {"owner", owner},
             {"how", by_group ? "Join the group " + group + ", then log out and in again."
                              : "Let the driver give everyone the right to the nodes, as it does by default; then "
                                "restart."},
             {"command", by_group ? "sudo usermod -aG " + group + " " + facts.user_name
                                  : "echo options nvidia NVreg_DeviceFileMode=0666 | sudo tee "
                                    "/etc/modprobe.d/nvidia-nodes.conf"}},
            {path + ": " + node.rights() + " " + owner, "user: " + facts.user_name}, gpu.address);
        break; // the others have the same rights
    }
    if (facts.kernel.nodes_of_mig && !facts.kernel.mig_nodes.empty())
        findings.add(CauseId::mig_permission, {}, facts.kernel.mig_nodes, gpu.address);
    else if (facts.kernel.nodes_of_mig)
        findings.add(CauseId::mig_instances, {}, {"/proc/driver/nvidia/capabilities: has MIG instances"});
}

} // namespace devq::doctor
