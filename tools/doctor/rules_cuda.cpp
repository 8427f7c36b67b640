// CUDA's libraries: libcuda.so.1 and NVRTC.
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string shown(const Candidate& one) {
    return one.target.empty() || one.target == one.path ? one.path : one.path + " → " + one.target;
}

/// The loader finds none: why?
void judge_absent(const Facts& facts, const Library& cuda, const std::string& device, const std::string& gpu,
                  Findings& findings) {
    const std::string module = driver_version(facts);
    const Values values{{"gpu", gpu},
                        {"module_version", module.empty() ? "unknown" : module},
                        {"module_major", module.empty() ? "NNN" : std::to_string(major_of(module))}};
    const auto add = [&](CauseId cause, std::vector<std::string> evidence, Values more = {}) {
        more.insert(values.begin(), values.end());
        findings.add(cause, more, std::move(evidence), device);
    };
    for (const Candidate& one : cuda.candidates)
        if (one.fit == Candidate::Fit::stops)
            return add(CauseId::libcuda_damaged, {shown(one) + ": " + one.fault},
                       {{"file", one.path}, {"fault", one.fault}});
    if (!cuda.uncached.empty())
        return add(CauseId::loader_cache_stale, {cuda.uncached + "/libcuda.so.1: there", "/etc/ld.so.cache: not in it"},
                   {{"library", "libcuda.so.1"}, {"folder", cuda.uncached}});
    if (!cuda.elsewhere.empty())
        return add(CauseId::libcuda_not_on_path,
                   {cuda.elsewhere[0] + ": there", "libcuda.so.1: not found by the loader"},
                   {{"file", cuda.elsewhere[0]}, {"folder", folder_of(cuda.elsewhere[0])}});
    for (const Candidate& one : cuda.candidates)
        if (one.target.empty())
            return add(CauseId::libcuda_dangling, {one.path + ": " + one.fault}, {{"file", one.path}});
    if (!cuda.candidates.empty())
        return add(CauseId::libcuda_wrong_machine, {shown(cuda.candidates[0]) + ": " + cuda.candidates[0].fault},
                   {{"file", cuda.candidates[0].path}, {"fault", cuda.candidates[0].fault}});
    if (!facts.kernel.container.empty())
        return add(CauseId::container_without_libraries,
                   {"/dev/nvidiactl: there", "libcuda.so.1: not there",
                    "NVIDIA_DRIVER_CAPABILITIES=" + facts.variable("NVIDIA_DRIVER_CAPABILITIES")},
                   {{"container", facts.kernel.container}});
    add(CauseId::libcuda_missing, {"libcuda.so.1: not there", "/sys/module/nvidia/version: " + module});
}

} // namespace

void judge_libcuda(const Facts& facts, const Pci* gpu, Findings& findings) {
    const Library& cuda = facts.library("libcuda.so.1");
    const std::string device = gpu != nullptr ? gpu->address : "/dev/dxg";
    const std::string name = gpu != nullptr ? gpu->what : "Windows' GPU";
    const Candidate* taken = cuda.file();
    if (taken == nullptr)
        return judge_absent(facts, cuda, device, name, findings);
    if (holds(taken->target, "/stubs/"))
        findings.add(CauseId::libcuda_stub, {{"file", taken->path}}, {"libcuda.so.1: " + shown(*taken)}, device);
    for (const MissingDependency& one : cuda.missing)
        findings.add(
            one.version ? CauseId::library_needs_newer_glibc : CauseId::driver_dependency_missing,
            {{"file", one.wanted_by}, {"library", one.library}, {"version", one.library}, {"glibc", facts.glibc}},
            {one.wanted_by + ": needs " + one.library,
             one.version ? "libc.so.6: " + facts.glibc : one.library + ": not found"},
            device);
    for (const Candidate& one : cuda.candidates) {
        if (&one == taken)
            continue;
        const bool before = &one < taken;
        if (before && !one.target.empty() && one.elf.bits == 32)
            findings.add(CauseId::library_32_bit_first,
                         {{"library", "libcuda.so.1"}, {"file", one.path}, {"fault", one.fault}},
                         {shown(one) + ": " + one.fault, "libcuda.so.1: " + shown(*taken)});
        const bool other = !before && one.fit == Candidate::Fit::loads && one.target != taken->target &&
                           !holds(one.target, "/stubs/") && !holds(taken->target, "/stubs/");
        // One that a variable puts in front is a matter of the environment.
        if (other && taken->place != "LD_LIBRARY_PATH")
            findings.add(CauseId::driver_installed_twice,
                         {{"file", taken->path},
                          {"other", one.path},
                          {"module_version", driver_version(facts).empty() ? "unknown" : driver_version(facts)}},
                         {shown(*taken), shown(one)});
    }
}

std::vector<Compiler> compilers_of(const Facts& facts) {
    std::vector<Compiler> found;
    const auto version_at = [&](const std::string& file, const std::string& from_name) {
        if (holds(from_name, "."))
            return short_version(from_name);
        for (const Toolkit& toolkit : facts.toolkits)
            if ((file.starts_with(toolkit.target + '/') || file.starts_with(toolkit.folder + '/')) &&
                major_of(toolkit.version) == major_of(from_name))
                return short_version(toolkit.version);
        return from_name;
    };
    // Where devq looks by itself, when the loader finds none.
    const auto searched = [&](const std::string& file) {
        bool named = file.starts_with("/usr/local/cuda/");
        for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
            named = named || (!facts.variable(variable).empty() && file.starts_with(facts.variable(variable) + '/'));
        return named;
    };
    for (const std::string soname : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
        const Library& library = facts.library(soname);
        const std::string number = soname.substr(12);
        if (const Candidate* file = library.file(); file != nullptr && library.missing.empty())
            found.push_back({major_of(library.version), version_at(file->target, library.version), file->path});
        else if (file == nullptr && !library.elsewhere.empty() && searched(library.elsewhere[0]))
            found.push_back({major_of(number), version_at(library.elsewhere[0], number), library.elsewhere[0]});
    }
    return found;
}

void judge_nvrtc(const Facts& facts, const Pci* gpu, Findings& findings) {
    const std::string device = gpu != nullptr ? gpu->address : "/dev/dxg";
    const std::string driver = driver_version(facts), own = driver.empty() ? "" : cuda_of_driver(driver);
    if (facts.is_set("DEVQ_NVRTC") && !facts.variable("DEVQ_NVRTC").empty())
        return; // judged with the variables
    const std::vector<Compiler> compilers = compilers_of(facts);
    if (compilers.empty()) {
        for (const char* soname : {"libnvrtc.so.13", "libnvrtc.so.12"})
            for (const MissingDependency& one : facts.library(soname).missing)
                findings.add(CauseId::library_dependency_missing, {{"file", one.wanted_by}, {"library", one.library}},
                             {one.wanted_by + ": needs " + one.library, one.library + ": not found"});
        std::string cuda = own.empty() ? "12.4" : own, dash = cuda;
        std::replace(dash.begin(), dash.end(), '.', '-');
        findings.add(CauseId::nvrtc_missing,
                     {{"cuda", cuda},
                      {"cuda_dash", dash},
                      {"pip_suffix", major_of(cuda) >= 13 ? "==13.*" : "-cu" + std::to_string(major_of(cuda))}},
                     {"libnvrtc.so.13, .12, .11.2: not found by the loader, CUDA_PATH, CUDA_HOME or /usr/local/cuda"},
                     device);
        return;
    }
    const auto of_chip = [&](const Compiler& one) {
        const std::string_view below = gpu != nullptr ? limit_of("chip", gpu->chip, "cuda_below") : "";
        return below.empty() || one.major < major_of(below);
    };
    const auto of_driver = [&](const Compiler& one) { return own.empty() || one.major <= major_of(own); };
    if (gpu != nullptr && std::none_of(compilers.begin(), compilers.end(), of_chip)) {
        const int limit = major_of(limit_of("chip", gpu->chip, "cuda_below"));
        findings.add(CauseId::toolkit_drops_gpu,
                     {{"toolkit", compilers[0].version},
                      {"gpu", gpu->what},
                      {"family", std::string(family_name(gpu->chip))},
                      {"limit", std::to_string(limit)},
                      {"last", std::to_string(limit - 1)}},
                     {compilers[0].file + ": NVRTC " + compilers[0].version, "chip: " + gpu->name}, device);
        return;
    }
    if (std::none_of(compilers.begin(), compilers.end(), of_driver)) {
        const Compiler& oldest = compilers.back();
        const std::string major = std::to_string(oldest.major);
        findings.add(CauseId::driver_too_old,
                     {{"driver", driver},
                      {"toolkit", oldest.version},
                      {"toolkit_major", major},
                      {"needed", std::string(limit_of("cuda_branch", major, "driver"))},
                      {"driver_cuda", own},
                      {"driver_major", std::to_string(major_of(own))}},
                     {"driver: " + driver + " (CUDA " + own + ")", oldest.file + ": NVRTC " + oldest.version}, device);
    }
}

} // namespace devq::doctor
