#include "../output.hpp"
#include "report.hpp"
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace devq::doctor {

namespace {

using tools::print;
using tools::Style;
using tools::styled;
using tools::wrapped;

constexpr std::size_t indent = 14;

/// "  name        text", the text wrapped beside its name.
void line(const std::string& name, const std::string& text, Style style = Style::plain) {
    std::string block = wrapped(text, indent);
    block.replace(0, indent, fmt::format("  {:<{}}", name, indent - 2));
    print(styled(block, style));
}

std::string computer(const Facts& facts) {
    std::string text = facts.distribution.name.empty() ? "unknown distribution" : facts.distribution.name;
    text += ", kernel " + (facts.kernel.release.empty() ? "unknown" : facts.kernel.release);
    if (facts.kernel.wsl2 || facts.kernel.wsl1)
        text += facts.kernel.wsl2 ? ", WSL 2" : ", WSL 1";
    if (!facts.kernel.container.empty())
        text += ", container (" + facts.kernel.container + ")";
    if (facts.kernel.secure_boot)
        text += *facts.kernel.secure_boot ? ", Secure Boot on" : ", Secure Boot off";
    return text;
}

std::string cuda(const Facts& facts) {
    const std::string driver = driver_version(facts);
    const Candidate* library = facts.library("libcuda.so.1").file();
    std::string text = !driver.empty() ? "driver " + driver + " (CUDA " + cuda_of_driver(driver) + ")"
                       : library       ? "libcuda.so.1: " + library->path
                                       : "no driver";
    for (const Compiler& one : compilers_of(facts))
        text += ", NVRTC " + one.version;
    for (const char* soname : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"})
        if (facts.library(soname).taken >= 0)
            text += ", cuBLAS " + facts.library(soname).version;
    for (const char* soname : {"libcudnn.so.9", "libcudnn.so.8"})
        if (facts.library(soname).taken >= 0)
            text += ", cuDNN " + facts.library(soname).version;
    for (const Toolkit& one : facts.toolkits)
        text += ", toolkit " + one.version + " in " + one.folder;
    return text;
}

std::string opencl(const Facts& facts) {
    std::string text;
    for (const Icd& one : facts.icd.icds)
        text += (text.empty() ? "" : ", ") + one.file.substr(one.file.rfind('/') + 1) + " (" +
                (one.library.empty() ? one.problem : one.library) + ")";
    return text.empty() ? "no driver in " + facts.icd.folder : text;
}

void print_machine(const Report& report) {
    const Facts& facts = report.facts;
    line("computer", computer(facts));
    if (facts.gpus.empty())
        line("GPUs", facts.has_pci ? "none of NVIDIA, AMD or Intel on the PCI bus" : "no PCI bus to be seen");
    for (const Pci& gpu : facts.gpus)
        line(&gpu == &facts.gpus[0] ? "GPUs" : "",
             gpu.what + ", kernel driver " + (gpu.driver.empty() ? "none" : gpu.driver));
    if (report.area.empty() || report.area == "cuda" || report.area == "python")
        line("CUDA", cuda(facts));
    if (!facts.rocm.empty())
        line("ROCm", facts.rocm);
    if (report.area.empty() || report.area == "opencl")
        line("OpenCL", opencl(facts));
    if (report.area.empty() || report.area == "cpu")
        line("processor",
             facts.processor.name + (facts.processor.isa.empty() ? "" : ", x86-64-" + facts.processor.isa));
    for (const TrialDevice& one : facts.trial.devices)
        line(&one == &facts.trial.devices[0] ? "tried" : "",
             fmt::format("{}  {}: {}", one.id, one.name,
                         one.passed ? fmt::format("works (round trip in {:.0f} ms)", one.ms) : one.error),
             one.passed ? Style::plain : Style::bad);
    if (report.area != "python")
        return;
    line("Python", report.python.interpreter + (report.python.version.empty() ? "" : ", " + report.python.version));
    for (const Framework& one : report.python.frameworks)
        line("", one.name + ": " + (one.state == "works" ? one.version : one.state) +
                     (one.cuda.empty() ? "" : ", built for CUDA " + one.cuda) +
                     (one.cudnn_loaded.empty() ? "" : ", cuDNN " + one.cudnn_loaded));
}

/// Evidence and commands are to be compared and copied: never wrapped.
void verbatim(const char* name, const std::vector<std::string>& lines, const char* lead) {
    for (const std::string& text : lines)
        print(fmt::format("   {:<11}{}{}\n", &text == &lines[0] ? name : "", lead, tools::clean(text)));
}

void print_finding(const Finding& finding, std::size_t number) {
    constexpr std::string_view kinds[] = {"prevents use", "limits", "may mislead", "to know"};
    constexpr Style styles[] = {Style::bad, Style::warning, Style::warning, Style::faint};
    const auto kind = static_cast<std::size_t>(finding.severity);
    std::string head = wrapped(finding.what, 3);
    head.replace(0, 3, fmt::format("{:>2} ", number));
    print(styled(head, Style::bold));
    print("   " + styled(fmt::format("{} · {}", kinds[kind], finding.row().id), styles[kind]) + "\n");
    verbatim("found", finding.evidence, "");
    const auto say = [](const char* name, const std::string& text) {
        std::string block = wrapped(text, indent);
        block.replace(0, indent, fmt::format("   {:<11}", name));
        print(block);
    };
    say("why", finding.why);
    say("mend", finding.mend);
    verbatim("", finding.commands, "$ ");
    say("meanwhile", finding.meanwhile);
}

} // namespace

void print_text(const Report& report) {
    const auto count = [&](Severity severity) {
        return std::count_if(report.findings.begin(), report.findings.end(),
                             [&](const Finding& finding) { return finding.severity == severity; });
    };
    const auto prevents = count(Severity::prevents), limits = count(Severity::limits) + count(Severity::risks);
    std::string head = prevents > 0                ? fmt::format("{} {} the use of a device", prevents,
                                                  prevents == 1 ? "thing prevents" : "things prevent")
                       : limits > 0                ? fmt::format("nothing prevents use; {} to look at", limits)
                       : report.facts.gpus.empty() ? std::string("nothing is wrong")
                                                   : std::string("all is well");
    print(styled(head, prevents > 0 ? Style::bad : limits > 0 ? Style::warning : Style::good) + "\n\n");
    print_machine(report);
    std::size_t number = 0;
    for (const Finding& finding : report.findings) {
        print("\n");
        print_finding(finding, ++number);
    }
}

} // namespace devq::doctor
