// The kernel's drivers of AMD's and Intel's GPUs, and their nodes.
#include "rules.hpp"

namespace devq::doctor {

namespace {

std::string driver_link(const Pci& gpu) {
    return "/sys/bus/pci/devices/" + gpu.address + "/driver: " + (gpu.driver.empty() ? "none" : gpu.driver);
}

void judge_rights(const Facts& facts, const Pci& gpu, const std::string& path, Findings& findings) {
    const Node& node = facts.nodes.at(path);
    if (!node.there || node.usable)
        return;
    const std::string owner = facts.owners.at(path), group = owner.substr(owner.find(':') + 1);
    const std::vector<std::string> evidence{path + ": " + node.rights() + " " + owner, "user: " + facts.user_name};
    Values values{{"node", path}, {"rights", node.rights()}, {"owner", owner}, {"group", group}};
    const bool by_group = (node.mode & 060u) == 060u && group != "root";
    findings.add(by_group ? CauseId::not_in_group : CauseId::node_permission, values, evidence, gpu.address);
}

} // namespace

void judge_drm_kernel(const Facts& facts, const Pci& gpu, Findings& findings) {
    const bool amd = gpu.vendor == "amd";
    const std::string name = amd ? "amdgpu" : "i915";
    const Module& module = facts.kernel.module(name);
    const std::string modules = "/lib/modules/" + facts.kernel.release;
    const auto add = [&](CauseId cause, std::vector<std::string> evidence) {
        evidence.insert(evidence.begin(), driver_link(gpu));
        findings.add(cause, {{"gpu", gpu.what}, {"module", name}}, std::move(evidence), gpu.address);
    };
    if (gpu.driver == "radeon")
        return add(CauseId::radeon_in_use, {});
    if (!gpu.driver.empty())
        return;
    for (const std::string& word : split(facts.kernel.command_line, ' '))
        if (word == "nomodeset" || word == name + ".modeset=0")
            return add(CauseId::nomodeset, {"/proc/cmdline: " + word});
    if (!module.blocked_by.empty())
        return add(CauseId::module_blocked, {module.blocked_by});
    if (amd && !facts.kernel.has_amd_firmware)
        return add(CauseId::amd_firmware_missing, {"/lib/firmware/amdgpu: empty or not there"});
    if (module.loaded && amd)
        return add(CauseId::driver_does_not_bind, {"/sys/module/" + name + ": there"});
    if (module.file.empty() && !module.other_kernels.empty())
        return add(CauseId::module_not_for_kernel,
                   {modules + ": no module " + name, "/lib/modules/" + module.other_kernels.back() + ": has it"});
    if (!module.file.empty() && !module.loaded)
        return add(CauseId::module_not_loaded, {module.file + ": there", "/sys/module/" + name + ": not there"});
    add(CauseId::gpu_without_driver, {module.file.empty() ? modules + ": no module " + name : module.file + ": there"});
}

void judge_drm_nodes(const Facts& facts, const Pci& gpu, Findings& findings) {
    if (!gpu.render_node.empty()) {
        if (!facts.nodes.at(gpu.render_node).there)
            findings.add(CauseId::render_node_missing, {{"gpu", gpu.what}, {"node", gpu.render_node}},
                         {gpu.render_node + ": not there", driver_link(gpu)}, gpu.address);
        judge_rights(facts, gpu, gpu.render_node, findings);
    }
    if (gpu.vendor != "amd")
        return;
    bool rocm = false, mesa = false;
    for (const Icd& icd : facts.icd.icds) {
        rocm = rocm || icd.maker == "amd";
        mesa = mesa || icd.maker == "rusticl";
    }
    if (rocm)
        judge_rights(facts, gpu, "/dev/kfd", findings);
    if (rocm && !facts.nodes.at("/dev/kfd").there) {
        Finding& finding = findings.add(CauseId::kfd_missing, {{"gpu", gpu.what}},
                                        {"/dev/kfd: not there", driver_link(gpu)}, gpu.address);
        if (mesa) // which needs none
            finding.severity = Severity::limits;
    }
}

} // namespace devq::doctor
