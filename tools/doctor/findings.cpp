#include "findings.hpp"
#include "system.hpp"
#include <algorithm>
#include <stdexcept>

namespace devq::doctor {

std::string_view to_string(Severity severity) noexcept {
    constexpr std::string_view names[] = {"prevents", "limits", "risks", "tells"};
    return names[static_cast<std::size_t>(severity)];
}

namespace {

/// `text` with its places, {word}, filled in. Braces around anything else stay.
std::string filled(std::string_view text, const Values& values, std::string_view id) {
    std::string result;
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        result += text.substr(0, open);
        text.remove_prefix(open);
        const std::size_t close = text.find('}');
        const std::string_view name = close == std::string_view::npos ? "" : text.substr(0, close + 1);
        if (name.size() < 3 || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1) != name.size() - 1) {
            result += text.substr(0, 1);
            text.remove_prefix(std::min<std::size_t>(1, text.size()));
            continue;
        }
        const auto value = values.find(std::string(name.substr(1, name.size() - 2)));
        if (value == values.end())
            throw std::logic_error("doctor: " + std::string(id) + " lacks a value for " + std::string(name));
        result += value->second;
        text.remove_prefix(name.size());
    }
    return result;
}

/// Paths and names come from files that others wrote: what is not plain is quoted.
std::string command_word(const std::string& value) {
    constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=+@%,-";
    return value.find_first_not_of(plain) == std::string::npos ? value : shell_word(value);
}

/// Values for commands: all but whole commands as words.
Values shell_words(const Values& values) {
    Values words = values;
    for (auto& [name, value] : words)
        if (name != "command" && !value.empty())
            value = command_word(value);
    return words;
}

struct Manager {
    std::string_view key, label;
    std::string_view Cause::*commands;
};
constexpr Manager managers[] = {
    {"apt", "Debian", &Cause::apt},     {"ubuntu", "Ubuntu", &Cause::ubuntu},   {"dnf", "Fedora, RHEL", &Cause::dnf},
    {"pacman", "Arch", &Cause::pacman}, {"zypper", "openSUSE", &Cause::zypper},
};

std::vector<std::string> commands_for(const Cause& row, const std::string& packages, const Values& values) {
    std::vector<std::string> commands;
    const auto add = [&](std::string_view lines, std::string_view label) {
        for (const std::string& line : split(lines, '\n'))
            if (std::string command = filled(line, values, row.id); !command.empty())
                commands.push_back(label.empty() ? command : std::string(label) + ": " + command);
    };
    if (packages.empty()) {
        for (const Manager& manager : managers)
            add(row.*(manager.commands), manager.label);
    } else {
        for (const Manager& manager : managers)
            if (manager.key == packages)
                add(row.*(manager.commands), "");
        if (packages == "ubuntu" && row.ubuntu.empty())
            add(row.apt, "");
    }
    add(row.any, "");
    return commands;
}

} // namespace

Findings::Findings(const Facts& facts)
    : packages_(facts.distribution.packages), user_(facts.user_name), kernel_(facts.kernel.release),
      in_container_(!facts.kernel.container.empty()) {
    fallback_ = "the processor (cpu:0)";
    for (const TrialDevice& device : facts.trial.devices)
        if (device.is_default && device.passed)
            fallback_ = device.id + " (" + device.name + ")";
}

Finding& Findings::add(CauseId cause, const Values& values, std::vector<std::string> evidence,
                       const std::string& device) {
    Values all = values;
    all.emplace("fallback", fallback_);
    all.emplace("user", user_);
    all.emplace("kernel", kernel_);
    Finding finding;
    finding.cause = cause;
    const Cause& row = finding.row();
    finding.severity = row.severity;
    finding.device = device;
    finding.what = filled(row.what, all, row.id);
    finding.why = filled(row.why, all, row.id);
    // The kernel is the host's, whose distribution may be another one.
    const bool on_host = in_container_ && row.layer == "kernel";
    finding.mend = (on_host ? "On the host, outside this container: " : "") + filled(row.mend, all, row.id);
    finding.meanwhile = filled(row.meanwhile, all, row.id);
    finding.evidence = std::move(evidence);
    finding.commands = commands_for(row, on_host ? "" : packages_, shell_words(all));
    for (Finding& known : list_)
        if (known.cause == cause && known.what == finding.what && known.device == device)
            return known;
    list_.push_back(std::move(finding));
    return list_.back();
}

bool Findings::prevented(const std::string& device) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Finding& finding) {
        return finding.severity == Severity::prevents && finding.device == device;
    });
}

void Findings::lower(const std::string& device) {
    for (Finding& finding : list_)
        if (finding.severity == Severity::prevents && finding.device == device)
            finding.severity = Severity::limits;
}

bool Findings::has(CauseId cause) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Finding& finding) { return finding.cause == cause; });
}

std::vector<Finding> Findings::ordered(const std::string& area) const {
    std::vector<Finding> result;
    for (const Finding& finding : list_) {
        const std::vector<std::string> areas = split(finding.row().areas, ' ');
        if (area.empty() ? areas != std::vector<std::string>{"python"} : contains(areas, area))
            result.push_back(finding);
    }
    std::stable_sort(result.begin(), result.end(), [](const Finding& a, const Finding& b) {
        return std::pair(a.severity, a.cause) < std::pair(b.severity, b.cause);
    });
    return result;
}

} // namespace devq::doctor
