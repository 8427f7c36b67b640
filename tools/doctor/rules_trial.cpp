// What the round trips have shown.
#include "rules.hpp"
#include <algorithm>

namespace devq::doctor {

void judge_trial(const Facts& facts, Findings& findings) {
    const Trial& trial = facts.trial;
    for (const TrialDevice& device : trial.devices)
        if (!device.passed)
            findings.add(CauseId::round_trip_failed,
                         {{"device", device.id + " (" + device.name + ")"}, {"id", device.id}},
                         {device.id + ": " + device.error}, device.pci.empty() ? device.id : device.pci);
    if (!trial.ended.empty()) {
        const std::string backend =
            trial.ended.substr(0, trial.ended.find(':')); // "opencl:0 (…): …", "cuda: listing: …"
        findings.add(CauseId::trial_ended,
                     {{"backend", backend == "cuda" || backend == "opencl" || backend == "cpu" ? backend : "gpu"}},
                     {trial.ended}, "trial");
    }
    for (const TrialMissing& one : trial.missing) {
        if (one.code == "crashed" && one.backend == "opencl") {
            const std::size_t end = one.reason.find(".icd");
            const std::string icd = end == std::string::npos ? "FILE.icd" : one.reason.substr(0, end + 4);
            std::string device; // a GPU whose driver it is
            findings.add(CauseId::icd_crashes, {{"icd", icd}}, {one.reason}, device);
        }
        // Of a GPU that nothing above speaks of.
        const auto gpu = std::find_if(facts.gpus.begin(), facts.gpus.end(),
                                      [&](const Pci& known) { return known.address == one.pci; });
        if (gpu != facts.gpus.end() && !findings.prevented(one.pci))
            findings.add(CauseId::backend_says, {{"gpu", gpu->what}, {"reason", one.reason}, {"remedy", one.remedy}},
                         {"devq list: " + one.code + ": " + one.reason}, one.pci);
    }
}

} // namespace devq::doctor
