#include "device_text.hpp"
#include "output.hpp"
#include <fmt/format.h>

namespace devq::tools {

using Json = nlohmann::ordered_json;

Json as_json(const DeviceInfo& device) {
    Json part = nullptr;
    if (device.virtual_parts > 1)
        part = {{"part", device.virtual_part}, {"parts", device.virtual_parts}};
    return {{"id", device.id},
            {"backend", device.backend},
            {"name", device.name},
            {"vendor", text_or_null(device.vendor)},
            {"type", std::string(to_string(device.type))},
            {"memory_bytes", device.memory_bytes},
            {"compute_units", device.compute_units},
            {"pci", text_or_null(device.pci)},
            {"platform", text_or_null(device.platform)},
            {"dtypes", names_of(device.dtypes)},
            {"also", device.also},
            {"virtual", part},
            {"default", device.is_default}};
}

Json as_json(const std::vector<Unavailable>& missing) {
    Json entries = Json::array();
    for (const Unavailable& one : missing) {
        Json entry = {
            {"backend", text_or_null(one.backend)}, {"code", one.code}, {"reason", one.reason}, {"remedy", one.remedy}};
        if (!one.pci.empty())
            entry["pci"] = one.pci;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string virtual_text(const DeviceInfo& device) {
    if (device.virtual_parts <= 1)
        return {};
    return fmt::format("part {} of {} (DEVQ_VIRTUAL_DEVICES)", device.virtual_part + 1, device.virtual_parts);
}

std::vector<std::string> names_of(const std::vector<DType>& types) {
    std::vector<std::string> names;
    for (const DType type : types)
        names.emplace_back(to_string(type));
    return names;
}

void print_unavailable(const std::vector<Unavailable>& missing) {
    print(styled("not available\n", Style::faint));
    for (const Unavailable& entry : missing) {
        const std::string title = entry.backend.empty() ? "GPU " + entry.pci : entry.backend;
        print(fmt::format("  {}  {}\n", styled(clean(title), Style::bold), styled(clean(entry.code), Style::warning)));
        print(wrapped(entry.reason, 4));
        print(wrapped("→ " + entry.remedy, 4));
    }
}

std::string no_device_text(const std::string& selector) {
    return fmt::format("no device{}; `devq list` alone shows every device",
                       selector.empty() ? " at all" : " matches \"" + clean(selector) + "\"");
}

} // namespace devq::tools
