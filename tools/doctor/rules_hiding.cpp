// Variables that keep devices from programs.
#include "rules.hpp"
#include <algorithm>
#include <cctype>

namespace devq::doctor {

namespace {

bool number(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// How many of `count` devices the list names before its first wrong word, which ends it; `wrong`: that word.
std::size_t named(const std::string& value, std::size_t count, const std::vector<std::string>& names,
                  std::string& wrong) {
    std::size_t found = 0;
    for (const std::string& raw : split(value, ',')) {
        const std::string whole = trimmed(raw);
        // "0.1" is a part of Intel's device 0.
        const std::string word =
            whole.starts_with("GPU-") || whole.starts_with("MIG-") ? whole : whole.substr(0, whole.find('.'));
        const bool known =
            (number(word) && std::stoul("0" + word.substr(0, 9)) < count) ||
            std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return word.size() > 8 && name.starts_with(word); }) ||
            word.starts_with("MIG-");
        if (!known) {
            wrong = whole;
            break;
        }
        ++found;
    }
    return found;
}

void judge_vendor(const Facts& facts, Findings& findings, const char* vendor, const char* maker,
                  const std::vector<std::string>& variables) {
    std::vector<std::string> names;
    std::size_t count = 0;
    std::string address;
    for (const Pci& gpu : facts.gpus)
        if (gpu.vendor == vendor) {
            ++count;
            if (address.empty())
                address = gpu.address;
            if (const auto uuid = facts.kernel.uuids.find(gpu.address); uuid != facts.kernel.uuids.end())
                names.push_back(uuid->second);
        }
    const bool windows = facts.nodes.count("/dev/dxg") != 0 && facts.nodes.at("/dev/dxg").there;
    if (count == 0 && !(windows && vendor == std::string("nvidia")))
        return;
    if (count == 0) {
        count = 1;
        address = "/dev/dxg";
    }
    for (const std::string& variable : variables) {
        if (!facts.is_set(variable))
            continue;
        std::string value = facts.variable(variable), wrong;
        const std::size_t shown = named(value, count, names, wrong);
        if (shown >= count && wrong.empty())
            continue;
        const bool all = shown == 0;
        if (!all && wrong.empty())
            continue; // a choice among several
        const std::string detail = value.empty()   ? ", and it names none"
                                   : wrong == "-1" ? ", and -1 stands for none"
                                   : wrong.empty() ? ""
                                                   : ", and stops at \"" + wrong + "\", which is none of the " +
                                                         std::to_string(count) + " here";
        // OpenCL's drivers do not read it.
        const bool others_only = variable == "HIP_VISIBLE_DEVICES";
        findings
            .add(CauseId::hidden_by_variable,
                 {{"variable", variable},
                  {"value", value},
                  {"hidden", (all ? "every GPU of " : "a GPU of ") + std::string(maker) +
                                 (others_only ? " from HIP programs such as PyTorch" : "")},
                  {"detail", detail}},
                 {variable + "=" + value,
                  std::to_string(count) + " GPU" + (count == 1 ? "" : "s") + " of " + maker + " here"},
                 address)
            .severity = others_only ? Severity::risks
                        : all       ? Severity::prevents
                                    : Severity::limits;
    }
}

void judge_icd_setting(const Facts& facts, Findings& findings) {
    const IcdFacts& icd = facts.icd;
    if (icd.variable.empty())
        return;
    const auto needy = std::find_if(facts.gpus.begin(), facts.gpus.end(), [](const Pci& gpu) {
        return gpu.vendor != "nvidia"; // which has CUDA
    });
    if (!icd.folder_there) {
        findings
            .add(CauseId::icd_setting_wrong, {{"variable", icd.variable}, {"value", icd.setting}},
                 {icd.variable + "=" + icd.setting + ": not there"}, needy != facts.gpus.end() ? needy->address : "")
            .severity = needy != facts.gpus.end() ? Severity::prevents : Severity::limits;
        return;
    }
    for (const Pci& gpu : facts.gpus) {
        const bool served = std::any_of(icd.icds.begin(), icd.icds.end(), [&](const Icd& one) {
            return one.maker == gpu.vendor ||
                   (gpu.vendor != "nvidia" && (one.maker == "rusticl" || one.maker == "clover"));
        });
        if (served || gpu.vendor == "nvidia" || icd.hidden.empty() || findings.prevented(gpu.address))
            continue;
        findings.add(CauseId::hidden_by_variable,
                     {{"variable", icd.variable},
                      {"value", icd.setting},
                      {"hidden", "the OpenCL driver of " + gpu.what},
                      {"detail", ""}},
                     {icd.variable + "=" + icd.setting, icd.hidden[0] + ": there, and left out"}, gpu.address);
    }
}

} // namespace

void judge_hiding(const Facts& facts, Findings& findings) {
    judge_vendor(facts, findings, "nvidia", "NVIDIA's", {"CUDA_VISIBLE_DEVICES"});
    judge_vendor(facts, findings, "amd", "AMD's",
                 {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"});
    judge_vendor(facts, findings, "intel", "Intel's", {"ZE_AFFINITY_MASK"});
    judge_icd_setting(facts, findings);
    // PoCL's CPU device is no GPU, but a value that it does not know leaves it with none.
    const std::string pocl = facts.variable("POCL_DEVICES");
    const bool has_pocl =
        std::any_of(facts.icd.icds.begin(), facts.icd.icds.end(), [](const Icd& icd) { return icd.maker == "pocl"; });
    for (const std::string& word : split(pocl, ' '))
        if (has_pocl && !word.empty() &&
            !contains({"pthread", "basic", "cpu", "cpu-minimal", "cuda", "level0", "ttasim", "accel", "proxy", "remote",
                       "almaif", "tbb", "vulkan"},
                      word))
            findings
                .add(CauseId::hidden_by_variable,
                     {{"variable", "POCL_DEVICES"},
                      {"value", pocl},
                      {"hidden", "PoCL's device"},
                      {"detail", ", and \"" + word + "\" is none of PoCL's"}},
                     {"POCL_DEVICES=" + pocl})
                .severity = Severity::limits;
}

} // namespace devq::doctor
