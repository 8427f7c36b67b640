#include "command.hpp"
#include "output.hpp"
#include <algorithm>
#include <cstdio>
#include <devq/api.hpp>
#include <devq/device.hpp>
#include <fmt/format.h>
#include <memory>

namespace devq::tools {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json as_json(const Inventory& inventory) {
    Json document = {{"devq", DEVQ_VERSION_STRING}, {"devices", Json::array()}, {"unavailable", Json::array()}};
    for (const DeviceInfo& device : inventory.devices) {
        Json dtypes = Json::array();
        for (const DType type : device.dtypes)
            dtypes.push_back(std::string(to_string(type)));
        document["devices"].push_back({{"id", device.id},
                                       {"backend", device.backend},
                                       {"name", device.name},
                                       {"vendor", text_or_null(device.vendor)},
                                       {"type", std::string(to_string(device.type))},
                                       {"memory_bytes", device.memory_bytes},
                                       {"compute_units", device.compute_units},
                                       {"pci", text_or_null(device.pci)},
                                       {"platform", text_or_null(device.platform)},
                                       {"dtypes", dtypes},
                                       {"also", device.also},
                                       {"default", device.is_default}});
    }
    for (const Unavailable& missing : inventory.unavailable) {
        Json entry = {{"backend", text_or_null(missing.backend)},
                      {"code", missing.code},
                      {"reason", missing.reason},
                      {"remedy", missing.remedy}};
        if (!missing.pci.empty())
            entry["pci"] = missing.pci;
        document["unavailable"].push_back(std::move(entry));
    }
    return document;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts)
        if (!part.empty())
            text += (text.empty() ? "" : std::string(between)) + part;
    return text;
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
        std::vector<std::string> dtypes;
        for (const DType type : device.dtypes)
            dtypes.emplace_back(to_string(type));
        const std::string also = device.also.empty() ? "" : "also " + joined(device.also, ", ");
        const std::string pci = device.pci.empty() ? "" : "PCI " + device.pci;
        const std::string more = joined({device.vendor, device.platform, pci, joined(dtypes, " "), also}, ", ");
        print(styled(wrapped(more, 2 + id_width + 2), Style::faint));
    }
    if (marked)
        print(fmt::format("{} is what a program uses when nothing else is said (DEVQ_DEVICE changes it)\n",
                          styled("*", Style::good)));
}

void print_unavailable(const std::vector<Unavailable>& missing) {
    print(styled("not available\n", Style::faint));
    for (const Unavailable& entry : missing) {
        std::string title = entry.backend.empty() ? "GPU " + entry.pci : entry.backend;
        print(fmt::format("  {}  {}\n", styled(clean(title), Style::bold), styled(clean(entry.code), Style::warning)));
        print(wrapped(entry.reason, 4));
        print(wrapped("→ " + entry.remedy, 4));
    }
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
    fmt::print(stderr, "devq list: no device{}; `devq list` alone shows every device\n",
               selector.empty() ? " at all" : " matches \"" + clean(selector) + "\"");
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
    command->add_option("selector", options->selector, "Which devices; all of them when left out");
    command->footer("Selectors, separated by commas, most preferred first; ! before one takes it away:\n"
                    "  cpu  opencl  cuda        the devices of a backend; cpu:0 one of them\n"
                    "  opencl-cpu               CPUs seen through OpenCL\n"
                    "  gpu  nvidia  amd  intel  GPUs, of any maker or of one\n"
                    "  pci:01:00.0              by place on the bus\n"
                    "  name:TEXT                by a part of the name");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &exit_code] { exit_code = list(options->selector, options->json); });
}

} // namespace devq::tools
