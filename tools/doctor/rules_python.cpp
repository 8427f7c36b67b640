// From what the frameworks say to why they see no GPU.
#include "findings.hpp"
#include "python.hpp"
#include "rules.hpp"
#include "versions.hpp"
#include <algorithm>

namespace devq::doctor {

namespace {

/// What installs a build of the framework for this CUDA; for AMD where that is 0.
std::string install(const PythonFacts& python, const Framework& one, int cuda) {
    const std::string pip = python.interpreter + " -m pip install --force-reinstall ";
    if (one.module == "tensorflow")
        return pip + "'tensorflow[and-cuda]'";
    if (cuda == 0)
        return pip + "torch --index-url https://download.pytorch.org/whl/rocm6.3";
    return pip + "torch --index-url https://download.pytorch.org/whl/" +
           (cuda >= 13   ? "cu130"
            : cuda == 12 ? "cu126"
                         : "cu118");
}

void judge_broken(const PythonFacts& python, const Framework& one, Findings& findings) {
    const std::string again = python.interpreter + " -m pip install --force-reinstall " + one.module;
    std::string how = "Install it again.", command = again;
    if (holds(one.error, "numpy") || holds(one.error, "NumPy")) {
        how = "It and NumPy do not fit: install a NumPy that it was built for.";
        command = python.interpreter + " -m pip install 'numpy<2'";
    } else if (holds(one.error, "cannot open shared object file")) {
        how = "A library that it needs is missing: its packages from PyPI bring their own; install it again with all "
              "of them.";
    } else if (holds(one.error, "undefined symbol")) {
        how = "It meets a library of another version: start it without LD_LIBRARY_PATH, and when that does not help, "
              "install it again.";
        command = "env -u LD_LIBRARY_PATH " + python.interpreter + " -c 'import " + one.module + "' || " + again;
    }
    findings.add(CauseId::framework_broken,
                 {{"framework", one.name}, {"error", one.error}, {"how", how}, {"command", command}},
                 {"import " + one.module + ": " + one.error}, one.module);
}

/// Has the build code for the capability ("86"): of the same major version and no newer, or PTX that is no newer.
bool has_code(const Framework& one, const std::string& capability) {
    for (const std::string& known : one.architectures) {
        const std::string number = known.substr(known.find('_') + 1);
        if (number.size() < 2 || capability.size() < 2)
            continue;
        const bool machine_code = known.starts_with("sm_");
        const bool same_major = number.substr(0, number.size() - 1) == capability.substr(0, capability.size() - 1);
        if (!older(capability, number) && (!machine_code || same_major))
            return true;
    }
    return one.architectures.empty();
}

void judge_working(const Facts& facts, const PythonFacts& python, const Framework& one, Findings& findings) {
    const bool windows = facts.nodes.count("/dev/dxg") != 0 && facts.nodes.at("/dev/dxg").there;
    const bool nvidia = facts.has_gpu("nvidia") || windows, amd = facts.has_gpu("amd");
    const std::string driver = driver_version(facts), own = driver.empty() ? "" : cuda_of_driver(driver);
    const std::string says = one.module + ": " + one.version + (one.cuda.empty() ? "" : ", CUDA " + one.cuda) +
                             (one.hip.empty() ? "" : ", ROCm " + one.hip) + (one.sees_gpu ? "" : ", no GPU seen");
    Values values{{"framework", one.name}, {"version", one.version}, {"python", python.interpreter}};
    const auto add = [&](CauseId cause, Values more, std::vector<std::string> evidence) {
        more.insert(values.begin(), values.end());
        evidence.insert(evidence.begin(), says);
        findings.add(cause, more, std::move(evidence), one.module);
    };
    if (!one.cudnn_built.empty() && !one.cudnn_loaded.empty() &&
        (major_of(one.cudnn_built) != major_of(one.cudnn_loaded) || older(one.cudnn_loaded, one.cudnn_built))) {
        std::vector<std::string> files;
        for (const std::string& file : one.libraries)
            if (holds(file, "libcudnn"))
                files.push_back(file);
        add(CauseId::framework_cudnn_shadowed, {{"built", one.cudnn_built}, {"loaded", one.cudnn_loaded}}, files);
    }
    for (std::size_t i = 0; i < one.capabilities.size(); ++i)
        if (!has_code(one, one.capabilities[i])) {
            std::string known;
            for (const std::string& architecture : one.architectures)
                known += (known.empty() ? "" : ", ") + architecture;
            return add(CauseId::framework_lacks_gpu_code,
                       {{"gpu", one.devices[std::min(i, one.devices.size() - 1)]},
                        {"architecture", "sm_" + one.capabilities[i]},
                        {"list", known},
                        {"command", install(python, one, own.empty() ? 12 : major_of(own))}},
                       {"architectures: " + known});
        }
    if (one.sees_gpu || (!nvidia && !amd)) {
        std::string names;
        for (const std::string& device : one.devices)
            names += (names.empty() ? "" : ", ") + device;
        return add(
            CauseId::framework_works,
            {{"where", one.sees_gpu ? " on " + names : " on the processor"},
             {"detail", one.sees_gpu ? "It sees the GPU and has code for it." : "There is no GPU that it could use."}},
            {});
    }
    if (one.cuda.empty() && one.hip.empty())
        return add(CauseId::framework_for_cpu,
                   {{"command", install(python, one, nvidia ? (own.empty() ? 12 : major_of(own)) : 0)}}, {});
    const std::string major = std::to_string(major_of(one.cuda));
    const std::string_view needed = limit_of("cuda_branch", major, "driver");
    if (!one.cuda.empty() && !driver.empty() && !needed.empty() && older(driver, needed))
        return add(CauseId::framework_cuda_too_new,
                   {{"cuda", one.cuda},
                    {"driver", driver},
                    {"cuda_major", major},
                    {"needed", std::string(needed)},
                    {"driver_major", std::to_string(major_of(own))},
                    {"command", install(python, one, own.empty() ? 11 : major_of(own))}},
                   {"driver: " + driver + " (CUDA " + own + ")"});
    // The machine's own findings come first: one of them is the cause.
    std::string because = "It has its own words for it: " + (one.why.empty() ? "none" : one.why);
    std::string how = "Look at the driver by `devq doctor cuda`.", command = "devq doctor cuda";
    for (const Finding& finding : findings.ordered(one.cuda.empty() ? "opencl" : "cuda"))
        if (finding.severity == Severity::prevents && finding.cause != CauseId::nvrtc_missing) { // it brings its own
            because = "The layer \"" + std::string(finding.row().layer) + "\" is why: " + finding.what + ".";
            how = "Mend that first: " + finding.mend;
            command = finding.commands.empty() ? "devq doctor" : finding.commands[0];
            break;
        }
    add(CauseId::framework_sees_no_gpu, {{"because", because}, {"how", how}, {"command", command}},
        one.why.empty() ? std::vector<std::string>{}
                        : std::vector<std::string>{one.module + ".cuda.init(): " + one.why});
}

} // namespace

void judge_python(const Facts& facts, const PythonFacts& python, Findings& findings) {
    const Values values{
        {"python", python.interpreter}, {"fault", python.fault}, {"seconds", std::to_string(python.seconds)},
        {"doing", "it started"},        {"module", "sys"},       {"how", python.fault}};
    if (python.state == "missing")
        findings.add(CauseId::python_missing, values, {python.interpreter + ": " + python.fault}, "python");
    else if (python.state == "hangs")
        findings.add(CauseId::python_hangs, values, {python.interpreter + ": no answer"}, "python");
    else if (python.state == "crashes")
        findings.add(CauseId::python_crashes, values, {python.interpreter + ": " + python.fault}, "python");
    for (const Framework& one : python.frameworks) {
        Values more{{"doing", "it imported " + one.module}, {"module", one.module}, {"how", one.error}};
        more.insert(values.begin(), values.end());
        if (one.state == "absent")
            findings.add(CauseId::framework_absent,
                         {{"framework", one.name}, {"python", python.interpreter}, {"package", one.module}},
                         {"import " + one.module + ": no such module"}, one.module);
        else if (one.state == "hangs")
            findings.add(CauseId::python_hangs, more, {"import " + one.module + ": no answer"}, one.module);
        else if (one.state == "crashes")
            findings.add(CauseId::python_crashes, more, {"import " + one.module + ": " + one.error}, one.module);
        else if (one.state == "broken")
            judge_broken(python, one, findings);
        else
            judge_working(facts, python, one, findings);
    }
}

} // namespace devq::doctor
