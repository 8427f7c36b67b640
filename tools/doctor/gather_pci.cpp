// GPUs and accelerators on the PCI bus.
#include "facts.hpp"
#include "pci_ids.hpp"
#include "versions.hpp"
#include <sstream>

namespace devq::doctor {

namespace {

/// Targets of AMD's GPUs by PCI address, from what the kernel's compute driver tells.
std::map<std::string, std::string> amd_targets(const System& system) {
    std::map<std::string, std::string> targets;
    const std::string nodes = "/sys/class/kfd/kfd/topology/nodes";
    for (const std::string& node : system.entries(nodes)) {
        std::istringstream lines(system.read(nodes + '/' + node + "/properties").value_or(""));
        std::map<std::string, unsigned long> values;
        std::string name;
        for (unsigned long value = 0; lines >> name >> value;)
            values[name] = value;
        if (values["gfx_target_version"] == 0)
            continue;
        const unsigned long version = values["gfx_target_version"], place = values["location_id"];
        char address[32];
        std::snprintf(address, sizeof address, "%04lx:%02lx:%02lx.%lu", values["domain"] & 0xffffu, place >> 8u & 0xffu,
                      place >> 3u & 0x1fu, place & 7u);
        char target[32]; // 100300 is 10.3.0: gfx1030; the last two are hexadecimal digits
        std::snprintf(target, sizeof target, "%lu%lx%lx", version / 10000, version / 100 % 100, version % 100);
        targets[address] = target;
    }
    return targets;
}

} // namespace

void gather_pci(const System& system, Facts& facts) {
    const std::string bus = "/sys/bus/pci/devices";
    facts.has_pci = system.is_folder(bus);
    const auto targets = amd_targets(system);
    for (const std::string& address : system.entries(bus)) {
        const std::string folder = bus + '/' + address;
        const std::string vendor = system.first_line(folder + "/vendor"), kind = system.first_line(folder + "/class");
        Pci gpu;
        gpu.vendor = vendor == "0x10de" ? "nvidia" : vendor == "0x1002" ? "amd" : vendor == "0x8086" ? "intel" : "";
        // 03: display controllers. 12: accelerators, as data centre GPUs may call themselves.
        if (gpu.vendor.empty() || !(kind.starts_with("0x03") || (kind.starts_with("0x12") && gpu.vendor != "intel")))
            continue;
        gpu.address = address;
        const std::string device = system.first_line(folder + "/device");
        const std::string model = device.starts_with("0x") ? device.substr(2) : device;
        gpu.numbers = vendor.substr(2) + ':' + model;
        for (const char* ids : {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"})
            if (gpu.name.empty() && system.there(ids))
                gpu.name = detail::pci_name(system.file(ids), vendor.substr(2), model);
        const char* maker = gpu.vendor == "nvidia" ? "NVIDIA" : gpu.vendor == "amd" ? "AMD" : "Intel";
        gpu.what = std::string(maker) + " GPU " +
                   (gpu.name.empty() ? gpu.numbers : gpu.name + " (" + gpu.numbers + ")") + " at " + address;
        const std::string driver = system.link(folder + "/driver");
        gpu.driver = driver.substr(driver.rfind('/') + 1);
        for (const std::string& node : system.entries(folder + "/drm"))
            (node.starts_with("renderD") ? gpu.render_node : gpu.card_node) = "/dev/dri/" + node;
        gpu.chip = gpu.vendor == "nvidia" ? chip_family(gpu.name) : "";
        if (const auto target = targets.find(address); target != targets.end())
            gpu.target = target->second;
        gpu.boots = system.first_line(folder + "/boot_vga") == "1";
        gpu.sleeps = system.first_line(folder + "/power/runtime_status") == "suspended";
        facts.gpus.push_back(std::move(gpu));
    }
}

} // namespace devq::doctor
