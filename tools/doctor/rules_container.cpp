// Containers and WSL: the GPU belongs to another system, which has to lend it.
#include "rules.hpp"

namespace devq::doctor {

namespace {

constexpr const char* wsl_file = "/usr/lib/wsl/lib/libcuda.so.1";

bool there(const Facts& facts, const std::string& node) {
    const auto found = facts.nodes.find(node);
    return found != facts.nodes.end() && found->second.there;
}

void judge_wsl(const Facts& facts, Findings& findings) {
    const std::string release = "/proc/sys/kernel/osrelease: " + facts.kernel.release;
    if (facts.kernel.wsl1)
        findings.add(CauseId::wsl1, {}, {release});
    if (!facts.kernel.wsl2)
        return;
    if (!there(facts, "/dev/dxg")) {
        findings.add(CauseId::wsl_without_gpu, {}, {release, "/dev/dxg: not there"});
        return;
    }
    const Library& cuda = facts.library("libcuda.so.1");
    std::string windows; // the file that Windows' driver brings
    for (const Candidate& one : cuda.candidates)
        if (holds(one.path, "/wsl/lib/"))
            windows = one.path;
    for (const std::string& one : cuda.elsewhere)
        if (holds(one, "/wsl/lib/"))
            windows = one;
    const Candidate* taken = cuda.file();
    if (taken != nullptr && !holds(taken->path, "/wsl/lib/") && !holds(taken->target, "/wsl/lib/"))
        findings.add(CauseId::wsl_driver_inside,
                     {{"file", taken->path}, {"wsl_file", windows.empty() ? wsl_file : windows}},
                     {"libcuda.so.1: " + taken->path + " → " + taken->target, "/dev/dxg: there"}, "/dev/dxg");
    else if (taken == nullptr && !windows.empty())
        findings.add(CauseId::wsl_library_not_found, {{"file", windows}},
                     {windows + ": there", "libcuda.so.1: not found by the loader"}, "/dev/dxg");
    else if (taken == nullptr)
        findings.add(CauseId::wsl_no_compute, {}, {"/dev/dxg: there", std::string(wsl_file) + ": not there"});
    else {
        judge_libcuda(facts, nullptr, findings);
        if (!findings.prevented("/dev/dxg"))
            judge_nvrtc(facts, nullptr, findings);
    }
}

} // namespace

void judge_containers(const Facts& facts, Findings& findings) {
    judge_wsl(facts, findings);
    const std::string& container = facts.kernel.container;
    if (container.empty())
        return;
    for (const Pci& gpu : facts.gpus) {
        // One that the host does not drive is no matter of the container's.
        if (findings.prevented(gpu.address) || gpu.driver.empty() || gpu.driver == "nouveau")
            continue;
        if (gpu.vendor == "nvidia") {
            if (there(facts, "/dev/nvidiactl"))
                continue;
            const std::string visible = facts.variable("NVIDIA_VISIBLE_DEVICES");
            if (visible == "void" || visible == "none")
                findings.add(CauseId::container_hides_devices, {{"value", visible}},
                             {"NVIDIA_VISIBLE_DEVICES=" + visible, "/dev/nvidiactl: not there"}, gpu.address);
            else
                findings.add(
                    CauseId::container_without_nvidia, {{"container", container}, {"gpu", gpu.what}},
                    {"/sys/bus/pci/devices/" + gpu.address + "/driver: " + gpu.driver, "/dev/nvidiactl: not there"},
                    gpu.address);
            continue;
        }
        const bool kfd = gpu.vendor != "amd" || there(facts, "/dev/kfd");
        const bool render = gpu.render_node.empty() || there(facts, gpu.render_node);
        if (kfd && render)
            continue;
        const std::string nodes =
            std::string(render ? "" : gpu.render_node) + (!render && !kfd ? " and " : "") + (kfd ? "" : "/dev/kfd");
        findings.add(CauseId::container_without_dri, {{"container", container}, {"gpu", gpu.what}, {"nodes", nodes}},
                     {"/sys/bus/pci/devices/" + gpu.address + "/driver: " + gpu.driver, nodes + ": not there"},
                     gpu.address);
    }
}

} // namespace devq::doctor
