#include "device_text.hpp"
#include "info.hpp"
#include "joined.hpp"
#include "output.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace devq::tools {

namespace {

using detail::joined;
using Json = nlohmann::ordered_json;

constexpr std::size_t label_width = 16; ///< of "  label  value" lines

/// "  label            value", the value wrapped beside its label.
void print_line(std::string_view label, std::string_view value) {
    std::string text = wrapped(value, 2 + label_width);
    if (text.empty())
        text = std::string(2 + label_width, ' ') + "none\n";
    text.replace(2, std::min(label.size(), label_width - 1), label.substr(0, label_width - 1));
    print(text);
}

std::string value_text(Capability::Kind kind, const std::optional<std::uint64_t>& value) {
    if (!value)
        return "–";
    switch (kind) {
    case Capability::Kind::yes_no:
        return *value != 0 ? "yes" : "no";
    case Capability::Kind::bytes:
        return bytes_text(*value);
    case Capability::Kind::count:
        return std::to_string(*value);
    }
    return {};
}

Json value_json(Capability::Kind kind, const std::optional<std::uint64_t>& value) {
    if (!value)
        return nullptr;
    return kind == Capability::Kind::yes_no ? Json(*value != 0) : Json(*value);
}

std::string verdict_text(Verdict verdict) {
    switch (verdict) {
    case Verdict::agrees:
        return {};
    case Verdict::lies:
        return styled("lies", Style::bad);
    case Verdict::exceeds:
        return "more than it says";
    case Verdict::unclaimed:
        return styled("not advertised", Style::faint);
    case Verdict::untried:
        return styled("not tried", Style::faint);
    }
    return {};
}

std::string padded(std::string text, std::size_t width) {
    const std::size_t taken = columns(text);
    return taken < width ? text + std::string(width - taken, ' ') : text;
}

void print_capabilities(const std::vector<Capability>& capabilities) {
    constexpr std::size_t first = 34, second = 12;
    print(styled(padded("  capability", first) + padded("advertised", second) + "verified\n", Style::faint));
    for (const Capability& one : capabilities) {
        std::string line = padded("  " + one.label, first) + padded(value_text(one.kind, one.advertised), second);
        const std::string verdict = verdict_text(one.verdict());
        const std::string verified = value_text(one.kind, one.verified);
        print(line + (verdict.empty() ? verified : padded(verified, second) + verdict) + "\n");
        if (!one.reason.empty())
            print(wrapped(one.reason, 6));
    }
}

std::string of(const std::optional<std::uint64_t>& most, std::string (*text)(std::uint64_t)) {
    return most ? " of " + text(*most) : "";
}

/// What the vendor's tools tell, a line each; what they do not tell has none, but for the reasons in the last one.
void print_readings(const backend::Readings& now) {
    const auto megahertz = [](std::uint64_t mhz) { return std::to_string(mhz) + " MHz"; };
    if (!now.uuid.empty())
        print_line("UUID", now.uuid);
    if (now.memory_used_bytes)
        print_line("memory in use", bytes_text(*now.memory_used_bytes) + of(now.memory_total_bytes, bytes_text));
    if (now.load_percent)
        print_line(
            "load",
            std::to_string(*now.load_percent) + " %" +
                (now.memory_load_percent ? ", of its memory " + std::to_string(*now.memory_load_percent) + " %" : ""));
    if (now.temperature_celsius)
        print_line("temperature", std::to_string(*now.temperature_celsius) + " °C");
    if (now.power_watts)
        print_line("power",
                   fmt::format("{:.1f} W", *now.power_watts) +
                       (now.power_limit_watts ? fmt::format(", at most {:.1f} W", *now.power_limit_watts) : ""));
    if (now.clock_mhz)
        print_line("clocks", megahertz(*now.clock_mhz) + of(now.max_clock_mhz, megahertz) +
                                 (now.memory_clock_mhz ? ", memory " + megahertz(*now.memory_clock_mhz) +
                                                             of(now.max_memory_clock_mhz, megahertz)
                                                       : ""));
    if (now.processes) {
        std::string list;
        for (const backend::ProcessReading& process : *now.processes)
            list += (list.empty() ? "" : ", ") + std::to_string(process.id) +
                    (process.memory_bytes ? " (" + bytes_text(*process.memory_bytes) + ")" : "");
        print_line("processes", list);
    }
    std::string lacking;
    for (const auto& [name, why] : now.absent)
        lacking += (lacking.empty() ? "" : "; ") + name + ": " + why;
    if (!lacking.empty())
        print_line("not told", lacking);
}

Json readings_json(const backend::Readings& now) {
    if (now.source.empty())
        return nullptr;
    const auto value = [](const auto& one) { return one ? Json(*one) : Json(nullptr); };
    Json processes = nullptr, absent = Json::object();
    if (now.processes) {
        processes = Json::array();
        for (const backend::ProcessReading& process : *now.processes)
            processes.push_back({{"pid", process.id}, {"memory_bytes", value(process.memory_bytes)}});
    }
    for (const auto& [name, why] : now.absent)
        absent[name] = why;
    return {{"source", now.source},
            {"uuid", text_or_null(now.uuid)},
            {"memory_total_bytes", value(now.memory_total_bytes)},
            {"memory_used_bytes", value(now.memory_used_bytes)},
            {"memory_free_bytes", value(now.memory_free_bytes)},
            {"load_percent", value(now.load_percent)},
            {"memory_load_percent", value(now.memory_load_percent)},
            {"temperature_celsius", value(now.temperature_celsius)},
            {"power_watts", value(now.power_watts)},
            {"power_limit_watts", value(now.power_limit_watts)},
            {"clock_mhz", value(now.clock_mhz)},
            {"max_clock_mhz", value(now.max_clock_mhz)},
            {"memory_clock_mhz", value(now.memory_clock_mhz)},
            {"max_memory_clock_mhz", value(now.max_memory_clock_mhz)},
            {"processes", processes},
            {"absent", absent}};
}

void print_environment(std::string_view backend) {
    std::string set, unset;
    for (const Variable& variable : variables_of(backend)) {
        if (variable.value)
            print_line(set.empty() ? "variables" : "", variable.name + "=" + *variable.value);
        (variable.value ? set : unset) += (variable.value ? set : unset).empty() ? variable.name : ", " + variable.name;
    }
    if (!unset.empty())
        print_line(set.empty() ? "variables" : "", "not set: " + unset);
}

} // namespace

void print_report(const DeviceReport& report) {
    const DeviceInfo& info = report.info;
    print(fmt::format("{}  {}\n", styled(clean(info.id), Style::bold), clean(info.name)));
    print_line("backend", info.backend + (info.platform.empty() ? "" : ", " + info.platform));
    print_line("maker", info.vendor.empty() ? "unknown" : info.vendor);
    print_line("type", std::string(to_string(info.type)) + ", " + std::to_string(info.compute_units) + " units");
    print_line("PCI", info.pci.empty() ? "none" : info.pci);
    if (!info.also.empty())
        print_line("also", joined(info.also, ", "));
    if (info.virtual_parts > 1)
        print_line("virtual", virtual_text(info));
    print_line("types", joined(names_of(info.dtypes), " "));
    if (!report.capabilities.empty()) {
        const Capabilities& limits = report.limits;
        print_line("memory",
                   bytes_text(info.memory_bytes) + ", largest buffer " + bytes_text(limits.max_allocation_bytes));
        print_line("work-groups", fmt::format("at most {} × {} × {}, {} by default", limits.max_group[0],
                                              limits.max_group[1], limits.max_group[2], limits.preferred_group));
        print_line("kernels", fmt::format("class {}, vectors of {}, arguments of at most {}", limits.device_class,
                                          limits.vector_width, bytes_text(limits.max_argument_bytes)));
    } else {
        print_line("memory", bytes_text(info.memory_bytes));
    }
    for (const auto& [name, version] : report.versions) {
        std::string label = name; // a word of the JSON document
        std::replace(label.begin(), label.end(), '_', ' ');
        print_line(label, version);
    }
    print_readings(report.readings);
    print_environment(info.backend);
    if (!report.capabilities.empty())
        print_capabilities(report.capabilities);
    if (!report.error.empty())
        print(styled(wrapped("failed: " + report.error, 2), Style::bad));
}

Json as_json(const DeviceReport& report) {
    Json document = as_json(report.info);
    document["limits"] = nullptr;
    if (!report.capabilities.empty())
        document["limits"] = {{"max_group", report.limits.max_group},
                              {"max_allocation_bytes", report.limits.max_allocation_bytes},
                              {"max_argument_bytes", report.limits.max_argument_bytes},
                              {"vector_width", report.limits.vector_width},
                              {"preferred_group", report.limits.preferred_group},
                              {"device_class", report.limits.device_class}};
    Json capabilities = Json::object(), versions = Json::object(), environment = Json::object();
    for (const Capability& one : report.capabilities)
        capabilities[one.name] = {{"advertised", value_json(one.kind, one.advertised)},
                                  {"verified", value_json(one.kind, one.verified)},
                                  {"verdict", std::string(to_string(one.verdict()))},
                                  {"reason", text_or_null(one.reason)}};
    for (const auto& [name, version] : report.versions)
        versions[name] = version;
    for (const Variable& variable : variables_of(report.info.backend))
        environment[variable.name] = variable.value ? Json(*variable.value) : Json(nullptr);
    document["capabilities"] = capabilities;
    document["versions"] = versions;
    document["readings"] = readings_json(report.readings);
    document["environment"] = environment;
    document["error"] = text_or_null(report.error);
    return document;
}

} // namespace devq::tools
