#include "pci_ids.hpp"
#include <algorithm>
#include <fstream>
#include <system_error>

namespace devq::detail {

namespace fs = std::filesystem;

fs::path pci_ids_file(const fs::path& root) {
    std::error_code ignored;
    for (const char* place :
         {"usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids", "usr/share/pci.ids", "usr/local/share/pci.ids"})
        if (fs::is_regular_file(root / place, ignored))
            return root / place;
    return {};
}

std::string pci_name(const fs::path& file, std::string_view vendor, std::string_view device) {
    std::ifstream stream(file);
    bool inside = false; // "VENDOR  NAME", then its devices: "<tab>DEVICE  NAME", then theirs behind two tabs
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        if (line[0] != '\t') {
            if (inside)
                return {};
            inside = line.compare(0, vendor.size(), vendor) == 0 && line.size() > vendor.size() &&
                     line[vendor.size()] == ' ';
        } else if (inside && line.compare(1, device.size(), device) == 0 && line.size() > device.size() + 1 &&
                   line[device.size() + 1] == ' ') {
            const std::size_t begin = line.find_first_not_of(' ', device.size() + 1);
            const std::size_t end = line.find_last_not_of(" \r");
            return begin == std::string::npos || begin > end ? std::string() : line.substr(begin, end - begin + 1);
        }
    }
    return {};
}

} // namespace devq::detail
