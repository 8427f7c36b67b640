#include "command.hpp"
#include "device_text.hpp"
#include "joined.hpp"
#include "output.hpp"
#include <algorithm>
#include <devq/api.hpp>
#include <devq/device.hpp>
#include <fmt/format.h>
#include <memory>

namespace devq::tools {

namespace {

using detail::joined;
using Json = nlohmann::ordered_json;

Json as_json(const Inventory& inventory) {
    Json devices = Json::array();
    for (const DeviceInfo& device : inventory.devices)
        devices.push_back(tools::as_json(device));
    return {{"devq", DEVQ_VERSION_STRING},
            {"devices", std::move(devices)},
            {"unavailable", tools::as_json(inventory.unavailable)}};
}

void print_devices(const std::vector<DeviceInfo>& devices) {
    std::size_t id_width = 6, type_width = 4;
    for (const DeviceInfo& device : devices) {
        id_width = std::max(id_width, device.id.size());
        type_width = std::max(type_width, to_string(device.type).size());
    }
    constexpr std::size_t units_width = 6, memory_width = 11;
    const std::size_t name_width = page_width - 2 - id_width - 2 - type_width - 2 - units_width - memory_width;

    print(styled(fmt::format("  {:<{}}  {:<{}}  {:<{}}{:>{}}{:>{}}\n", "device", id_width, "type", type_width, "name",
                             name_width, "units", units_width, "memory", memory_width),
                 Style::faint));
    bool marked = false;
    for (const DeviceInfo& device : devices) {
        marked = marked || device.is_default;
        print(fmt::format("{} {}  {:<{}}  {}{:>{}}{:>{}}\n", device.is_default ? styled("*", Style::good) : " ",
                          styled(fitted(device.id, id_width), Style::bold), to_string(device.type), type_width,
                          fitted(device.name, name_width), device.compute_units, units_width,
                          bytes_text(device.memory_bytes), memory_width));
        const std::string also = device.also.empty() ? "" : "also " + joined(device.also, ", ");
        const std::string pci = device.pci.empty() ? "" : "PCI " + device.pci;
        const std::string part = device.virtual_parts > 1 ? "virtual: " + virtual_text(device) : "";
        const std::string types = joined(names_of(device.dtypes), " ");
        const std::string more =
            joined(std::vector<std::string>{device.vendor, device.platform, pci, types, also, part}, ", ");
        print(styled(wrapped(more, 2 + id_width + 2), Style::faint));
    }
    if (marked)
        print(fmt::format("{} is what a program uses when nothing else is said (DEVQ_DEVICE changes it)\n",
                          styled("*", Style::good)));
}

int list(const std::string& selector, bool json) {
    const Inventory inventory = list_devices(selector);
    if (json) {
        print_json(as_json(inventory));
    } else {
        if (!inventory.devices.empty())
            print_devices(inventory.devices);
        if (!inventory.devices.empty() && !inventory.unavailable.empty())
            print("\n");
        if (!inventory.unavailable.empty())
            print_unavailable(inventory.unavailable);
    }
    if (!inventory.devices.empty())
        return exit_done;
    finish_output(); // first what there is, then the message
    complain("devq list", no_device_text(selector));
    return exit_no_device;
}

} // namespace

void add_list_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string selector;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("list", "Show every device, and why one is missing");
    add_selector(*command, options->selector);
    add_flag(*command, "--json", options->json, "Print one JSON document");
    command->callback([options, &exit_code] { exit_code = list(options->selector, options->json); });
}

} // namespace devq::tools
