#include "environment.hpp"
#include "inventory.hpp"
#include "joined.hpp"
#include "memory_pool.hpp"
#include "notice.hpp"
#include "registry.hpp"
#include <algorithm>
#include <cstdlib>
#include <devq/device.hpp>
#include <devq/error.hpp>
#include <optional>

namespace devq {

namespace detail {

namespace {

constexpr const char* where = "open_device";

/// Why a term gave no device: the words of its backends, or what they have instead.
std::string why_none(const Step& step) {
    std::string reasons, have;
    for (const std::string_view backend : step.backends) {
        const auto& found = Registry::instance().entry(backend).found;
        for (const Unavailable& missing : found.unavailable)
            reasons += (reasons.empty() ? "" : "; ") + missing.backend + ": " + one_line(missing.reason);
        for (const DeviceInfo& device : found.devices)
            have += (have.empty() ? "" : ", ") + device.id + " (" + device.name + ")";
    }
    if (!have.empty())
        reasons += (reasons.empty() ? "" : "; ") + ("there is only " + have);
    return reasons.empty() ? "no such device, or all of them are excluded" : reasons;
}

/// DEVQ_STRICT. A word that is neither yes nor no is an error: whoever set it relies on it.
bool strict() {
    const std::string_view value = environment("DEVQ_STRICT");
    const std::optional<bool> says = yes_or_no(value);
    if (!says && !value.empty())
        throw Error(ErrorCode::invalid_argument, where,
                    "DEVQ_STRICT is \"" + one_line(std::string(value)) + "\", which is neither 1 nor 0",
                    "Set it to 1 to make a fallback an error, or to 0 (or leave it unset) to allow one.");
    return says.value_or(false);
}

/// What was asked for and could not be had.
struct Attempts {
    std::vector<std::string> faults;
    std::optional<Error> first; ///< the first failure to open a device

    void failed(const DeviceInfo& device, const Error& fault) {
        faults.push_back(device.id + " cannot be opened (" + one_line(fault.what()) + ")");
        if (!first)
            first.emplace(fault);
    }
};

/// The cpu backend belongs to every machine: passing over it is a fallback in the default order too.
bool lacks_cpu(const Step& step) {
    return step.backends.size() == 1 && step.backends.front() == "cpu" &&
           Registry::instance().entry("cpu").found.devices.empty();
}

std::shared_ptr<DeviceState> try_step(const Step& step, Attempts& attempts) {
    const auto found = matching(step, devices_of(step.backends));
    if (found.empty() && (!step.written.empty() || lacks_cpu(step)))
        attempts.faults.push_back((step.written.empty() ? "cpu" : step.written) + " cannot be had (" + why_none(step) +
                                  ")");
    for (const DeviceInfo& device : found) {
        try {
            const std::size_t index = std::strtoul(device.id.c_str() + device.backend.size() + 1, nullptr, 10);
            return Registry::instance().open(device.backend, index);
        } catch (const Error& fault) {
            attempts.failed(device, fault);
        } catch (const std::exception& fault) {
            attempts.failed(device, Error(ErrorCode::unavailable, {}, device.id + ": " + fault.what(),
                                          "Choose another device; `devq list` shows them."));
        }
    }
    return nullptr;
}

/// In the default order nobody asked for a GPU by name; but one that is there and stays idle must be heard of.
void add_idle_gpus(const Selector& selector, const std::vector<std::string_view>& backends, Attempts& attempts) {
    std::vector<Unavailable> said;
    for (const std::string_view backend : backends) {
        const auto& missing = Registry::instance().entry(backend).found.unavailable;
        said.insert(said.end(), missing.begin(), missing.end());
    }
    for (const Unavailable& gpu : unusable_gpus(selector, devices_of(backends), said))
        if (gpu.code != "hidden_by_environment") // the user's own wish
            attempts.faults.push_back("a GPU stays idle (" + one_line(gpu.reason) + ")");
}

/// Drivers that may not be loaded at all, since they take the process along, unless `said` names them already.
void tell_left_out(const std::vector<std::string_view>& backends, const std::string& said) {
    std::vector<std::string> reasons;
    for (const std::string_view backend : backends)
        for (const Unavailable& missing : Registry::instance().entry(backend).found.unavailable)
            if (const std::string why = one_line(missing.reason);
                missing.code == "crashed" && said.find(why) == said.npos)
                reasons.push_back(why);
    if (!reasons.empty())
        notice(std::string("left out ") + (reasons.size() == 1 ? "a driver" : "drivers") + ": " +
               joined(reasons, "; ") + "; `devq list` says what to do");
}

std::shared_ptr<DeviceState> open_first(const Selector& selector, const std::string& asked) {
    const bool fallback_is_error = strict();
    if (const auto& wrong = check_environment(); fallback_is_error && !wrong.empty())
        throw Error(ErrorCode::invalid_argument, where, wrong.front().problem + ", and DEVQ_STRICT is 1",
                    wrong.front().advice);
    check_memory_variables();
    Attempts attempts;
    std::vector<Step> walked;
    for (const Step& step : steps_of(selector)) {
        walked.push_back(step);
        auto state = try_step(step, attempts);
        if (state == nullptr)
            continue;
        if (selector.wanted.empty() && state->info.type == DeviceType::cpu)
            add_idle_gpus(selector, backends_of(walked), attempts);
        const std::string faults = joined(attempts.faults, "; ");
        tell_left_out(backends_of(walked), faults);
        if (attempts.faults.empty())
            return state;
        if (fallback_is_error)
            throw Error(ErrorCode::unavailable, where,
                        faults + "; " + state->info.id + " could be taken, but DEVQ_STRICT forbids it",
                        "Name the device that you want (`devq list` shows them), or unset DEVQ_STRICT.");
        notice(faults + ": using " + state->info.id + " (" + one_line(state->info.name) +
               ") instead; DEVQ_STRICT=1 makes this an error");
        return state;
    }
    if (attempts.first && attempts.faults.size() == 1)
        throw Error(*attempts.first);
    throw Error(ErrorCode::unavailable, where,
                (asked.empty() ? std::string("there is no device") : "no device can be had for \"" + asked + "\"") +
                    (attempts.faults.empty() ? "" : ": " + joined(attempts.faults, "; ")),
                "`devq list` shows every device and what to do about a missing one.");
}

} // namespace

} // namespace detail

Device open_device(std::string_view selector) {
    using namespace detail;
    try {
        const bool by_environment = selector.find_first_not_of(" \t") == std::string_view::npos;
        const std::string asked(by_environment ? environment("DEVQ_DEVICE") : selector);
        return Device(open_first(parse_selector(asked, by_environment ? "DEVQ_DEVICE" : ""), asked));
    } catch (const Error& error) {
        throw error.named(where);
    }
}

} // namespace devq
