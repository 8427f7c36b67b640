// Variables that mislead: paths, names of folders, switches left on.
#include "rules.hpp"
#include "variables.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

/// How many letters have to be changed, added or dropped.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t before = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, before + (a[i - 1] == b[j - 1] ? 0 : 1)});
            before = above;
        }
    }
    return row[b.size()];
}

void judge_own(const Facts& facts, Findings& findings) {
    for (const auto& entry : facts.environment) {
        const std::string &name = entry.first, &value = entry.second;
        if (!name.starts_with("DEVQ_") || name.starts_with(detail::test_variables) ||
            detail::find_variable(name) != nullptr)
            continue;
        const auto nearest =
            std::min_element(detail::variables.begin(), detail::variables.end(), [&](const auto& a, const auto& b) {
                return distance(name, a.name) < distance(name, b.name);
            });
        findings.add(CauseId::devq_variable_unknown,
                     {{"variable", name},
                      {"nearest", distance(name, nearest->name) <= 3 ? std::string(nearest->name) + " may be meant."
                                                                     : "docs/cli.md lists them."}},
                     {name + "=" + value});
    }
    const std::string device = facts.variable("DEVQ_DEVICE");
    if (!facts.gpus.empty() &&
        (device == "cpu" || device.starts_with("cpu:") || device == "opencl-cpu" || holds(device, "!gpu")))
        findings.add(CauseId::devq_device_excludes, {{"value", device}}, {"DEVQ_DEVICE=" + device, facts.gpus[0].what});
}

void judge_toolkit_paths(const Facts& facts, Findings& findings) {
    std::string best; // the default one, or the first
    if (!facts.toolkits.empty())
        best = facts.toolkits[0].folder;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const std::string value = facts.variable(variable);
        const bool right = std::any_of(facts.toolkits.begin(), facts.toolkits.end(), [&](const Toolkit& one) {
            return value == one.folder || value == one.target || value == one.folder + '/' ||
                   value.starts_with(one.target);
        });
        if (!value.empty() && !right)
            findings.add(CauseId::cuda_home_wrong,
                         {{"variable", variable},
                          {"value", value},
                          {"command", best.empty() ? "unset " + std::string(variable)
                                                   : "export " + std::string(variable) + "=" + best}},
                         {std::string(variable) + "=" + value + ": no bin/nvcc and no version there"});
    }
    const bool driver = facts.has_gpu("nvidia") || facts.library("libcuda.so.1").taken >= 0;
    if (!best.empty() && !driver) {
        const std::string& version = facts.toolkits[0].version;
        findings.add(
            CauseId::cuda_without_gpu, {{"toolkit", version.empty() ? best : version}},
            {best + ": CUDA " + (version.empty() ? "of unknown version" : version), "libcuda.so.1: not there"});
    } else if (!best.empty() && facts.nvcc_on_path.empty() && facts.toolkits[0].has_compiler) {
        findings.add(CauseId::toolkit_not_on_path, {{"toolkit", best}},
                     {best + "/bin/nvcc: there", "PATH=" + facts.variable("PATH")});
    }
}

void judge_loader_path(const Facts& facts, Findings& findings) {
    bool relative = false;
    for (const std::string& entry : facts.variable_folders) {
        if (entry.empty() || entry[0] != '/')
            relative = true;
        if (holds(entry, "/stubs"))
            findings.add(CauseId::stub_folder_on_path, {{"entry", entry}}, {"LD_LIBRARY_PATH: " + entry});
    }
    if (relative)
        findings.add(CauseId::path_entry_relative, {}, {"LD_LIBRARY_PATH=" + facts.variable("LD_LIBRARY_PATH")});
    if (!facts.missing_folders.empty()) {
        std::string entries;
        for (const std::string& entry : facts.missing_folders)
            entries += (entries.empty() ? "" : ", ") + entry;
        findings.add(CauseId::path_entry_missing, {{"entries", entries}},
                     {"LD_LIBRARY_PATH: " + entries + " not there"});
    }
    for (const auto& [soname, library] : facts.libraries) {
        const Candidate* taken = library.file();
        if (taken == nullptr || taken->place != "LD_LIBRARY_PATH" || holds(taken->target, "/stubs/") ||
            holds(taken->target, "/compat/")) // which is meant to shadow the driver's
            continue;
        for (const Candidate& other : library.candidates)
            if (other.place != "LD_LIBRARY_PATH" && other.fit == Candidate::Fit::loads &&
                other.target != taken->target) {
                findings.add(CauseId::library_shadowed, {{"file", taken->path}, {"other", other.path}},
                             {soname + ": " + taken->path + " → " + taken->target, other.path + " → " + other.target});
                break;
            }
    }
}

} // namespace

void judge_environment(const Facts& facts, Findings& findings) {
    judge_own(facts, findings);
    judge_toolkit_paths(facts, findings);
    judge_loader_path(facts, findings);
    for (const auto& [name, fault] : facts.unusable) {
        const std::string value = facts.variable(name);
        if (name == "DEVQ_CXX")
            continue; // judged with the processor
        if (name == "DEVQ_NVRTC") {
            std::string device;
            for (const Pci& gpu : facts.gpus)
                if (gpu.vendor == "nvidia")
                    device = gpu.address;
            findings
                .add(CauseId::devq_nvrtc_wrong, {{"value", value}, {"fault", fault}},
                     {name + "=" + value + ": " + fault}, device)
                .severity = device.empty() ? Severity::risks : Severity::prevents;
        } else if (name == "POCL_CACHE_DIR") {
            findings.add(CauseId::pocl_cache_unwritable, {{"folder", value}}, {name + "=" + value + ": " + fault});
        } else {
            findings.add(CauseId::devq_folder_unusable,
                         {{"variable", name},
                          {"value", value},
                          {"fault", fault},
                          {"effect", name == "DEVQ_CACHE_DIR" ? "Kernels are built anew in every process."
                                                              : "Backends that should be found there are not."}},
                         {name + "=" + value + ": " + fault});
        }
    }
    for (const char* name : {"CUDA_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "HIP_LAUNCH_BLOCKING"})
        if (const std::string value = facts.variable(name); !value.empty() && value != "0")
            findings.add(CauseId::slow_variable, {{"variable", name}, {"value", value}},
                         {std::string(name) + "=" + value});
}

void judge_processor(const Facts& facts, Findings& findings) {
    const std::string& isa = facts.processor.isa;
    const std::string wanted = facts.variable("DEVQ_CPU_ISA");
    if (isa == "v1")
        findings.add(CauseId::cpu_too_old, {}, {"/proc/cpuinfo: " + facts.processor.name + ", x86-64-v1"}, "cpu:0");
    else if (!isa.empty() && (wanted == "v2" || wanted == "v3" || wanted == "v4") && wanted != isa)
        findings.add(wanted > isa ? CauseId::cpu_isa_too_high : CauseId::cpu_isa_lowered,
                     {{"value", wanted}, {"isa", isa}}, {"DEVQ_CPU_ISA=" + wanted, "/proc/cpuinfo: x86-64-" + isa},
                     "cpu:0");
    const auto named = facts.unusable.find("DEVQ_CXX");
    if (named != facts.unusable.end())
        findings.add(CauseId::no_host_compiler, {{"detail", ": DEVQ_CXX names none"}},
                     {"DEVQ_CXX=" + facts.variable("DEVQ_CXX") + ": " + named->second});
    else if (facts.processor.compilers.empty() && !facts.is_set("DEVQ_CXX"))
        findings.add(CauseId::no_host_compiler, {{"detail", ""}}, {"PATH: no c++, g++ or clang++"});
}

} // namespace devq::doctor
