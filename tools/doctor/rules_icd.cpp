// OpenCL's drivers: the .icd files, and whether one serves a GPU.
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

/// Does the driver serve GPUs of this maker?
bool serves(const Icd& icd, const std::string& vendor) {
    return icd.maker == vendor ||
           ((vendor == "amd" || vendor == "intel") && (icd.maker == "rusticl" || icd.maker == "clover"));
}

bool whole(const Icd& icd) { return icd.problem.empty() && icd.taken >= 0 && icd.missing.empty(); }

/// The only GPUs that a broken driver of this maker would be missed by: the device that the finding is about.
std::string device_of(const Facts& facts, const Icd& icd) {
    for (const Pci& gpu : facts.gpus)
        if (icd.maker == gpu.vendor)
            return gpu.address;
    return {};
}

void judge_icd(const Facts& facts, const Icd& icd, Findings& findings) {
    const std::string device = device_of(facts, icd);
    // A GPU of NVIDIA's has CUDA; the others have nothing else.
    const bool serious = !device.empty() && icd.maker != "nvidia";
    const auto add = [&](CauseId cause, const Values& values, std::vector<std::string> evidence) {
        Finding& finding = findings.add(cause, values, std::move(evidence), serious ? device : "");
        if (serious)
            finding.severity = Severity::prevents;
    };
    if (!icd.problem.empty()) {
        if (icd.file != facts.icd.setting)
            add(CauseId::icd_garbage, {{"icd", icd.file}, {"problem", icd.problem}}, {icd.file + ": " + icd.problem});
        return;
    }
    if (icd.taken < 0 && (icd.candidates.empty() || icd.candidates[0].target.empty())) {
        add(CauseId::icd_library_missing, {{"icd", icd.file}, {"library", icd.library}},
            {icd.file + ": " + icd.library, icd.candidates.empty()
                                                ? icd.library + ": not found"
                                                : icd.candidates[0].path + ": " + icd.candidates[0].fault});
    } else if (icd.taken < 0) {
        const Candidate& first = icd.candidates[0];
        add(CauseId::icd_library_broken, {{"icd", icd.file}, {"file", first.path}, {"fault", first.fault}},
            {icd.file + ": " + icd.library, first.path + ": " + first.fault});
    } else if (!icd.missing.empty()) {
        const MissingDependency& one = icd.missing[0];
        const std::string& file = icd.candidates[static_cast<std::size_t>(icd.taken)].path;
        const std::string fault = (one.wanted_by == file ? "needs " : "needs, through " + one.wanted_by + ", ") +
                                  one.library + ", which is not there";
        add(CauseId::icd_library_broken, {{"icd", icd.file}, {"file", file}, {"fault", fault}},
            {one.wanted_by + ": needs " + one.library, one.library + ": not found"});
    }
}

} // namespace

void judge_icd_files(const Facts& facts, Findings& findings) {
    for (const Icd& icd : facts.icd.icds)
        judge_icd(facts, icd, findings);
    for (std::size_t i = 0; i < facts.icd.icds.size(); ++i)
        for (std::size_t j = i + 1; j < facts.icd.icds.size(); ++j) {
            const Icd &one = facts.icd.icds[i], &other = facts.icd.icds[j];
            if (!whole(one) || !whole(other))
                continue;
            const auto target = [](const Icd& icd) {
                return icd.candidates[static_cast<std::size_t>(icd.taken)].target;
            };
            if (target(one) == target(other) || (!one.maker.empty() && one.maker == other.maker && one.maker != "pocl"))
                findings.add(CauseId::clashing_icds, {{"files", one.file + ", " + other.file}, {"extra", other.file}},
                             {one.file + ": " + target(one), other.file + ": " + target(other)});
        }
    const bool needy = facts.has_gpu("amd") || facts.has_gpu("intel");
    if (facts.icd.variable.empty() && facts.icd.icds.empty() && facts.gpus.empty())
        findings.add(CauseId::vendors_folder_empty, {{"folder", facts.icd.folder}},
                     {facts.icd.folder + (facts.icd.folder_there ? ": empty" : ": not there")});
    const Library& loader = facts.library("libOpenCL.so.1");
    if (loader.taken < 0 && (needy || !facts.icd.icds.empty())) {
        if (!loader.uncached.empty())
            findings
                .add(CauseId::loader_cache_stale, {{"library", "libOpenCL.so.1"}, {"folder", loader.uncached}},
                     {loader.uncached + "/libOpenCL.so.1: there", "/etc/ld.so.cache: not in it"})
                .severity = needy ? Severity::prevents : Severity::limits;
        else
            findings.add(CauseId::opencl_loader_missing, {}, {"libOpenCL.so.1: not found"}).severity =
                needy ? Severity::prevents : Severity::limits;
    }
}

void judge_opencl(const Facts& facts, const Pci& gpu, Findings& findings) {
    if (!facts.icd.variable.empty() && std::none_of(facts.icd.icds.begin(), facts.icd.icds.end(),
                                                    [&](const Icd& icd) { return serves(icd, gpu.vendor); }))
        return; // the variable is the cause: judge_hiding()
    std::vector<const Icd*> mine;
    for (const Icd& icd : facts.icd.icds)
        if (serves(icd, gpu.vendor))
            mine.push_back(&icd);
    const std::string listed = facts.icd.folder + (!facts.icd.folder_there  ? ": not there"
                                                   : facts.icd.icds.empty() ? ": empty"
                                                                            : ": none for this GPU");
    if (mine.empty()) {
        const std::string driver = driver_version(facts);
        findings.add(gpu.vendor == "nvidia" ? CauseId::nvidia_opencl_missing
                     : gpu.vendor == "amd"  ? CauseId::amd_opencl_missing
                                            : CauseId::intel_opencl_missing,
                     {{"gpu", gpu.what}, {"module_major", driver.empty() ? "NNN" : std::to_string(major_of(driver))}},
                     {listed}, gpu.address);
        return;
    }
    if (gpu.vendor == "nvidia" ||
        std::any_of(mine.begin(), mine.end(), [&](const Icd* icd) { return icd->maker == gpu.vendor; }))
        return;
    const std::string wanted = gpu.vendor == "amd" ? "radeonsi" : "iris", value = facts.variable("RUSTICL_ENABLE");
    const bool rusticl = std::any_of(mine.begin(), mine.end(), [](const Icd* icd) { return icd->maker == "rusticl"; });
    const bool enabled = holds(value, wanted);
    if (rusticl && !enabled)
        findings.add(
            CauseId::rusticl_not_enabled,
            {{"gpu", gpu.what}, {"value", value.empty() ? "not set" : value}, {"wanted", wanted}},
            {mine[0]->file + ": " + mine[0]->library, "RUSTICL_ENABLE: " + (value.empty() ? "not set" : value)},
            gpu.address);
    else if (!rusticl)
        findings.add(CauseId::clover_only, {{"gpu", gpu.what}, {"wanted", wanted}},
                     {mine[0]->file + ": " + mine[0]->library}, gpu.address);
}

} // namespace devq::doctor
