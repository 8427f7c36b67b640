#include "command.hpp"
#include "terms.hpp"
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace devq::tools {

void add_selector(CLI::App& command, std::string& selector) {
    command.add_option("selector", selector, "Which devices; all of them when left out")->check(not_empty());
    command.footer("Selectors, separated by commas, most preferred first; ! before one takes it away:\n"
                   "  cpu  opencl  cuda        the devices of a backend; cpu:0 one of them\n"
                   "  opencl-cpu               CPUs seen through OpenCL\n"
                   "  gpu  nvidia  amd  intel  GPUs, of any maker or of one\n"
                   "  pci:01:00.0              by place on the bus\n"
                   "  name:TEXT                by a part of the name");
}

CLI::Option* add_flag(CLI::App& command, const std::string& name, bool& flag, const std::string& help) {
    return command.add_flag(name, flag, help)->disable_flag_override();
}

const CLI::Validator& not_empty() {
    static const CLI::Validator validator(
        [](const std::string& text) {
            return text.find_first_not_of(" \t") == std::string::npos ? "the value is empty; leave it out instead" : "";
        },
        "");
    return validator;
}

const CLI::Validator& unsigned_number() {
    static const CLI::Validator validator(
        [](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (status == std::errc::result_out_of_range)
                return text + " is too large (the most is 18446744073709551615)";
            if (status != std::errc{} || end != text.data() + text.size())
                return "\"" + text + "\" is no number from 0 to 18446744073709551615";
            return {};
        },
        "");
    return validator;
}

const CLI::Validator& number_not_below_zero() {
    static const CLI::Validator validator(
        [](const std::string& text) -> std::string {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool whole = !text.empty() && end == text.c_str() + text.size();
            return whole && std::isfinite(value) && value >= 0 ? "" : "\"" + text + "\" is no number of 0 or more";
        },
        "");
    return validator;
}

namespace {

/// True where what was asked for is not there, so that nothing has failed: there are no such devices, or (`strict`:
/// DEVQ_STRICT has refused another) none of the first term.
bool nothing_matches(const std::string& selector, bool strict) {
    if (list_devices(selector).devices.empty())
        return true;
    if (!strict)
        return false;
    std::string first, exclusions;
    for (const detail::Term& term : detail::terms_of(selector)) {
        if (term.text.starts_with('!'))
            exclusions += ',' + std::string(term.text);
        else if (first.empty())
            first = term.text;
    }
    return !first.empty() && list_devices(first + exclusions).devices.empty();
}

} // namespace

Device choose_device(const std::string& selector) {
    try {
        return open_device(selector);
    } catch (const Error& error) {
        const char* variable = std::getenv("DEVQ_DEVICE");
        if (error.code() != ErrorCode::unavailable ||
            !nothing_matches(selector.empty() && variable != nullptr ? variable : selector,
                             error.advice().find("DEVQ_STRICT") != std::string::npos))
            throw;
        throw NoDevice(error.what());
    }
}

void complain(std::string_view who, std::string_view problem) noexcept {
    static_cast<void>(std::fprintf(stderr, "%.*s: %.*s%s", static_cast<int>(who.size()), who.data(),
                                   static_cast<int>(problem.size()), problem.data(),
                                   problem.empty() || problem.back() != '\n' ? "\n" : ""));
}

} // namespace devq::tools
