#include "versions.hpp"
#include "tables.hpp"
#include <algorithm>
#include <cctype>
#include <charconv>

namespace devq::doctor {

namespace {

int number_at(std::string_view text, std::size_t& at) {
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) == 0)
        ++at;
    int value = 0;
    const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    at = status == std::errc{} ? static_cast<std::size_t>(end - text.data()) : text.size();
    return value;
}

struct Family {
    std::string_view family, name;
};
// NVIDIA's own prefixes of chips, oldest first.
constexpr Family families[] = {
    {"GF", "Fermi"},  {"GK", "Kepler"}, {"GM", "Maxwell"}, {"GP", "Pascal"}, {"GV", "Volta"},
    {"TU", "Turing"}, {"GA", "Ampere"}, {"AD", "Ada"},     {"GH", "Hopper"}, {"GB", "Blackwell"},
};

} // namespace

bool older(std::string_view a, std::string_view b) {
    std::size_t at = 0, bt = 0;
    while (at < a.size() || bt < b.size()) {
        const int x = number_at(a, at), y = number_at(b, bt);
        if (x != y)
            return x < y;
    }
    return false;
}

int major_of(std::string_view version) {
    std::size_t at = 0;
    return number_at(version, at);
}

std::string short_version(std::string_view version) {
    const std::size_t first = version.find('.');
    const std::size_t second = first == std::string_view::npos ? first : version.find('.', first + 1);
    return std::string(version.substr(0, second));
}

const std::vector<VersionRow>& version_table() {
    static const std::vector<VersionRow> rows = [] {
        std::vector<VersionRow> result;
        std::string_view rest = versions_text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (line.empty() || line[0] == '#')
                continue;
            std::string_view cells[5];
            for (std::string_view& cell : cells) {
                const std::size_t stop = std::min(line.find('|'), line.size());
                cell = line.substr(0, stop);
                while (!cell.empty() && cell.front() == ' ')
                    cell.remove_prefix(1);
                while (!cell.empty() && cell.back() == ' ')
                    cell.remove_suffix(1);
                line.remove_prefix(std::min(stop + 1, line.size()));
            }
            result.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
        }
        return result;
    }();
    return rows;
}

std::string_view limit_of(std::string_view product, std::string_view version, std::string_view needs) {
    for (const VersionRow& row : version_table())
        if (row.product == product && row.version == version && row.needs == needs)
            return row.limit;
    return {};
}

std::string cuda_of_driver(std::string_view driver) {
    std::string best;
    for (const VersionRow& row : version_table())
        if (row.product == "cuda" && row.needs == "driver" && !older(driver, row.limit) &&
            (best.empty() || older(best, row.version)))
            best = row.version;
    return best;
}

std::string chip_family(std::string_view pci_name) {
    for (const Family& one : families)
        if (pci_name.starts_with(one.family) && pci_name.size() > 2 &&
            std::isdigit(static_cast<unsigned char>(pci_name[2])) != 0)
            return std::string(one.family);
    return {};
}

std::string_view family_name(std::string_view family) {
    for (const Family& one : families)
        if (one.family == family)
            return one.name;
    return family;
}

} // namespace devq::doctor
