// What has to fit: toolkit, driver, cuDNN, cuBLAS; and AMD's GPU and its ROCm.
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

void judge_toolkit(const Facts& facts, Findings& findings) {
    const std::string driver = driver_version(facts), own = driver.empty() ? "" : cuda_of_driver(driver);
    if (own.empty() || findings.has(CauseId::driver_too_old))
        return;
    // Of one major version: newer minor ones run with limits. Of a newer one devq leaves them alone.
    std::string newest, from;
    for (const Compiler& one : compilers_of(facts))
        if (one.major == major_of(own) && holds(one.version, ".") && older(own, one.version) &&
            (newest.empty() || older(newest, one.version))) {
            newest = one.version;
            from = one.file;
        }
    if (newest.empty())
        return;
    findings.add(
        CauseId::toolkit_newer_than_driver,
        {{"toolkit", newest},
         {"driver", driver},
         {"driver_cuda", own},
         {"needed",
          std::string(limit_of("cuda", newest, "driver").empty() ? "the newest" : limit_of("cuda", newest, "driver"))}},
        {"driver: " + driver + " (CUDA " + own + ")", from + ": CUDA " + newest});
}

void judge_math_libraries(const Facts& facts, Findings& findings) {
    const Library* runtime = facts.first_of({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"});
    const Library* blas = facts.first_of({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"});
    const Library* any =
        runtime != nullptr ? runtime : facts.first_of({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"});
    if (any == nullptr)
        return;
    const std::string toolkit = std::to_string(major_of(any->version));
    for (const char* soname : {"libcudnn.so.8", "libcudnn.so.9"}) {
        const Library& cudnn = facts.library(soname);
        if (cudnn.taken < 0)
            continue;
        const std::string version = std::to_string(major_of(cudnn.version));
        const std::string_view below = limit_of("cudnn", version, "cuda_below"),
                               from = limit_of("cudnn", version, "cuda");
        const bool other_fits = soname == std::string("libcudnn.so.8") && facts.library("libcudnn.so.9").taken >= 0;
        if (!other_fits && !below.empty() && !older(toolkit, below))
            findings.add(
                CauseId::cudnn_does_not_fit,
                {{"cudnn", version},
                 {"toolkit", toolkit},
                 {"toolkit_major", toolkit},
                 {"from", std::string(from)},
                 {"below", std::string(below)}},
                {cudnn.file()->path + ": cuDNN " + cudnn.version, any->file()->path + ": CUDA " + any->version});
    }
    if (blas != nullptr && runtime != nullptr && major_of(blas->version) != major_of(runtime->version))
        findings.add(
            CauseId::cublas_does_not_fit, {{"cublas", std::to_string(major_of(blas->version))}, {"toolkit", toolkit}},
            {blas->file()->path + ": cuBLAS " + blas->version, runtime->file()->path + ": CUDA " + runtime->version});
    for (const char* soname : {"libcublasLt.so.13", "libcublasLt.so.12", "libcudnn.so.9", "libcudnn.so.8"})
        for (const MissingDependency& one : facts.library(soname).missing)
            findings
                .add(one.version ? CauseId::library_needs_newer_glibc : CauseId::library_dependency_missing,
                     {{"file", one.wanted_by},
                      {"library", one.library},
                      {"version", one.library},
                      {"glibc", facts.glibc}},
                     {one.wanted_by + ": needs " + one.library,
                      one.version ? "libc.so.6: " + facts.glibc : one.library + ": not found"})
                .severity = Severity::limits;
}

/// The toolkit that holds the path, or null.
const Toolkit* toolkit_of(const Facts& facts, const std::string& path) {
    for (const Toolkit& toolkit : facts.toolkits)
        if (path == toolkit.folder || path == toolkit.target || path.starts_with(toolkit.folder + '/') ||
            path.starts_with(toolkit.target + '/'))
            return &toolkit;
    return nullptr;
}

void judge_two_toolkits(const Facts& facts, Findings& findings) {
    std::vector<const Toolkit*> used;
    std::vector<std::string> evidence;
    const auto add = [&](const std::string& path, const std::string& where) {
        const Toolkit* toolkit = toolkit_of(facts, path);
        if (toolkit == nullptr || std::find(used.begin(), used.end(), toolkit) != used.end())
            return;
        used.push_back(toolkit);
        evidence.push_back(where + ": " + path + " (CUDA " + toolkit->version + ")");
    };
    if (!facts.nvcc_on_path.empty())
        add(facts.nvcc_on_path[0], "PATH");
    for (const std::string& folder : facts.variable_folders)
        if (!holds(folder, "/stubs"))
            add(folder, "LD_LIBRARY_PATH");
    if (used.size() > 1)
        findings.add(CauseId::two_toolkits,
                     {{"first", used[0]->version.empty() ? used[0]->folder : used[0]->version},
                      {"second", used[1]->version.empty() ? used[1]->folder : used[1]->version}},
                     evidence);
}

} // namespace

void judge_cuda_versions(const Facts& facts, Findings& findings) {
    judge_two_toolkits(facts, findings);
    const bool windows = facts.nodes.count("/dev/dxg") != 0 && facts.nodes.at("/dev/dxg").there;
    if (!facts.has_gpu("nvidia") && !windows)
        return; // nothing runs here, so that nothing has to fit
    judge_toolkit(facts, findings);
    judge_math_libraries(facts, findings);
}

void judge_rocm(const Facts& facts, const Pci& gpu, Findings& findings) {
    std::string files;
    bool rocm = false, mesa = false;
    for (const Icd& icd : facts.icd.icds) {
        rocm = rocm || icd.maker == "amd";
        mesa = mesa || (icd.maker == "rusticl" && !facts.variable("RUSTICL_ENABLE").empty());
    }
    const std::string_view below = limit_of("gfx", gpu.target, "rocm_below");
    if (rocm && !facts.rocm.empty() && !below.empty() && !older(facts.rocm, below)) {
        Finding& finding = findings.add(
            CauseId::rocm_gpu_unsupported,
            {{"rocm", facts.rocm}, {"gpu", gpu.what}, {"target", gpu.target}, {"limit", std::string(below)}},
            {"ROCm: " + facts.rocm, "gfx_target_version of " + gpu.address + ": gfx" + gpu.target}, gpu.address);
        if (mesa)
            finding.severity = Severity::limits;
    }
    const std::string value = facts.variable("HSA_OVERRIDE_GFX_VERSION");
    if (value.empty())
        return;
    std::string as; // "10.3.0" is gfx1030
    for (const std::string& part : split(value, '.'))
        as += part;
    findings.add(
        CauseId::hsa_override,
        {{"value", value}, {"gpu", gpu.what}, {"as", as}, {"target", gpu.target.empty() ? "?" : gpu.target}},
        {"HSA_OVERRIDE_GFX_VERSION=" + value, "the GPU itself: gfx" + (gpu.target.empty() ? "?" : gpu.target)});
}

} // namespace devq::doctor
