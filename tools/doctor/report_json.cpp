#include "report.hpp"
#include "rules.hpp"
#include <algorithm>
#include <devq/api.hpp>
#include <nlohmann/json.hpp>

namespace devq::doctor {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json as_json(const Finding& finding) {
    return {{"id", std::string(finding.row().id)},
            {"severity", std::string(to_string(finding.severity))},
            {"layer", std::string(finding.row().layer)},
            {"device", text_or_null(finding.device)},
            {"what", finding.what},
            {"evidence", finding.evidence},
            {"why", finding.why},
            {"remedy", finding.mend},
            {"commands", finding.commands},
            {"meanwhile", finding.meanwhile}};
}

Json as_json(const Framework& one) {
    return {{"name", one.name},
            {"state", one.state},
            {"version", text_or_null(one.version)},
            {"cuda", text_or_null(one.cuda)},
            {"cudnn_built", text_or_null(one.cudnn_built)},
            {"cudnn_loaded", text_or_null(one.cudnn_loaded)},
            {"sees_gpu", one.sees_gpu},
            {"devices", one.devices},
            {"error", text_or_null(one.error)}};
}

} // namespace

bool Report::prevented() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::prevents; });
}

Json as_json(const Report& report) {
    const Facts& facts = report.facts;
    Json gpus = Json::array(), toolkits = Json::array(), icds = Json::array(), devices = Json::array(),
         findings = Json::array(), libraries = Json::object();
    for (const Pci& gpu : facts.gpus) {
        const bool prevented = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& one) {
            return one.severity == Severity::prevents && one.device == gpu.address;
        });
        gpus.push_back({{"pci", gpu.address},
                        {"vendor", gpu.vendor},
                        {"id", gpu.numbers},
                        {"name", text_or_null(gpu.name)},
                        {"kernel_driver", text_or_null(gpu.driver)},
                        {"render_node", text_or_null(gpu.render_node)},
                        {"prevented", prevented}});
    }
    for (const Toolkit& one : facts.toolkits)
        toolkits.push_back({{"folder", one.folder}, {"version", text_or_null(one.version)}});
    for (const Icd& one : facts.icd.icds)
        icds.push_back({{"file", one.file}, {"library", one.library}, {"problem", text_or_null(one.problem)}});
    for (const auto& [soname, library] : facts.libraries)
        if (const Candidate* file = library.file()) {
            Json missing = Json::array();
            for (const MissingDependency& one : library.missing)
                missing.push_back(one.library);
            libraries[soname] = {{"path", file->path},
                                 {"file", file->target},
                                 {"found_by", file->place},
                                 {"version", library.version},
                                 {"missing", missing}};
        }
    for (const TrialDevice& one : facts.trial.devices)
        devices.push_back({{"id", one.id},
                           {"name", one.name},
                           {"pci", text_or_null(one.pci)},
                           {"passed", one.passed},
                           {"ms", one.ms},
                           {"error", text_or_null(one.error)}});
    for (const Finding& finding : report.findings)
        findings.push_back(as_json(finding));
    const Kernel& kernel = facts.kernel;
    Json document = {
        {"devq", DEVQ_VERSION_STRING},
        {"sysroot", text_or_null(report.sysroot)},
        {"system",
         {{"distribution", text_or_null(facts.distribution.name)},
          {"kernel", text_or_null(kernel.release)},
          {"container", text_or_null(kernel.container)},
          {"wsl", kernel.wsl2   ? Json(2)
                  : kernel.wsl1 ? Json(1)
                                : Json(nullptr)},
          {"secure_boot", kernel.secure_boot ? Json(*kernel.secure_boot) : Json(nullptr)},
          {"user", facts.user_name}}},
        {"gpus", gpus},
        {"nvidia_driver", text_or_null(driver_version(facts))},
        {"rocm", text_or_null(facts.rocm)},
        {"toolkits", toolkits},
        {"libraries", libraries},
        {"icds", icds},
        {"devices", devices},
    };
    if (report.area == "python") {
        Json frameworks = Json::array();
        for (const Framework& one : report.python.frameworks)
            frameworks.push_back(as_json(one));
        document["python"] = {{"interpreter", report.python.interpreter},
                              {"version", text_or_null(report.python.version)},
                              {"frameworks", frameworks}};
    }
    document["findings"] = findings;
    document["prevented"] = report.prevented();
    return document;
}

} // namespace devq::doctor
