#include "selector.hpp"
#include "terms.hpp"
#include <algorithm>
#include <charconv>
#include <devq/error.hpp>

namespace devq::detail {

namespace {

constexpr std::string_view grammar = "  list := term{','term}\n"
                                     "  term := ['!']atom\n"
                                     "  atom := backend[':'N] | opencl-cpu[':'N] | gpu | nvidia | amd | intel\n"
                                     "          | pci:ADDR | name:TEXT\n"
                                     "  backend := cuda | opencl | cpu\n";

struct Parser {
    std::string_view text, source;

    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        refuse_at(text, at, source.empty() ? "device selector" : std::string(source), what,
                  "The grammar:\n" + std::string(grammar) + "`devq list` shows the devices.");
    }

    std::size_t number(std::string_view digits, std::size_t at) const {
        std::size_t value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status == std::errc::result_out_of_range)
            fail(at, "the device number is too large");
        if (digits.empty() || status != std::errc{} || end != digits.data() + digits.size())
            fail(digits.empty() ? at : at + static_cast<std::size_t>(end - digits.data()),
                 "a device number is expected after ':'");
        return value;
    }

    SelectorAtom atom(std::string_view word, std::size_t at) const {
        SelectorAtom result;
        result.written = word;
        const std::size_t colon = word.find(':');
        const std::string_view head = word.substr(0, colon);
        const bool has_tail = colon != std::string_view::npos;
        const std::string_view tail = has_tail ? word.substr(colon + 1) : std::string_view{};
        const std::size_t tail_at = at + colon + 1;

        if (head == "name") {
            if (tail.empty())
                fail(has_tail ? tail_at : at + head.size(), "a part of a device's name is expected after \"name:\"");
            result.kind = SelectorAtom::Kind::name;
            result.text = lower_case(tail);
            return result;
        }
        if (head == "pci") {
            result.kind = SelectorAtom::Kind::pci;
            result.text = normal_pci(tail);
            if (result.text.empty())
                fail(has_tail ? tail_at : at + head.size(),
                     "a PCI address like 0000:01:00.0 is expected after \"pci:\"");
            return result;
        }
        const bool vendor = head == "nvidia" || head == "amd" || head == "intel";
        if (head == "gpu" || vendor) {
            if (has_tail)
                fail(at + colon, "\"" + std::string(head) + "\" takes no number");
            result.kind = vendor ? SelectorAtom::Kind::vendor : SelectorAtom::Kind::gpu;
            result.text = head;
            return result;
        }
        if (head == "opencl-cpu")
            result.kind = SelectorAtom::Kind::opencl_cpu;
        else if (std::find(backend_names.begin(), backend_names.end(), head) != backend_names.end())
            result.kind = SelectorAtom::Kind::backend;
        else
            fail(at, head.empty() ? "a backend, a kind of device, pci: or name: is expected"
                                  : "there is no backend or kind of device called \"" + std::string(head) + "\"");
        result.text = head;
        if (has_tail)
            result.index = number(tail, tail_at);
        return result;
    }

    Selector list() const {
        Selector result;
        for (const Term& term : terms_of(text)) {
            const bool exclude = term.text.starts_with('!');
            const std::size_t at = term.at + (exclude ? 1 : 0);
            const std::string_view its = term.text.substr(exclude ? 1 : 0);
            if (its.empty())
                fail(at, exclude ? "a device is expected after '!'" : "a device is expected here");
            (exclude ? result.excluded : result.wanted).push_back(atom(its, at));
        }
        return result;
    }
};

bool is_opencl_cpu(const DeviceInfo& device) { return device.backend == "opencl" && device.type == DeviceType::cpu; }

} // namespace

Selector parse_selector(std::string_view text, std::string_view source) { return Parser{text, source}.list(); }

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string normal_pci(std::string_view text) {
    // [domain:]bus:device.function in hexadecimal, of at most 4 (8 for some virtual machines), 2, 2 and 1 digits
    const std::string address = lower_case(text);
    const auto field = [](std::string_view part, std::size_t most, std::size_t width) -> std::string {
        if (part.empty() || part.size() > most || part.find_first_not_of("0123456789abcdef") != std::string_view::npos)
            return {};
        const std::size_t zeros = part.find_first_not_of('0');
        std::string digits(zeros == std::string_view::npos ? std::string_view{} : part.substr(zeros));
        return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
    };
    std::string_view rest = address;
    std::string domain = "0000";
    if (std::count(rest.begin(), rest.end(), ':') == 2) {
        domain = field(rest.substr(0, rest.find(':')), 8, 4);
        rest.remove_prefix(rest.find(':') + 1);
    }
    const std::size_t colon = rest.find(':'), dot = rest.find('.');
    if (colon == std::string_view::npos || dot == std::string_view::npos || dot < colon)
        return {};
    const std::string bus = field(rest.substr(0, colon), 2, 2);
    const std::string device = field(rest.substr(colon + 1, dot - colon - 1), 2, 2);
    const std::string function = field(rest.substr(dot + 1), 1, 1);
    if (domain.empty() || bus.empty() || device.empty() || function.empty())
        return {};
    return domain + ":" + bus + ":" + device + "." + function;
}

std::string_view known_vendor(std::string_view vendor) {
    const std::string name = lower_case(vendor);
    if (name.find("nvidia") != std::string::npos)
        return "nvidia";
    if (name.find("advanced micro") != std::string::npos || name.rfind("amd", 0) == 0 ||
        name.find("authenticamd") != std::string::npos)
        return "amd";
    if (name.find("intel") != std::string::npos)
        return "intel";
    return {};
}

int default_rank(const DeviceInfo& device) noexcept {
    if (device.backend == "cuda")
        return 0;
    if (device.type == DeviceType::gpu)
        return 1;
    if (device.type == DeviceType::accelerator)
        return 2;
    return device.backend == "cpu" ? 3 : 4;
}

bool matches(const SelectorAtom& atom, const DeviceInfo& device, const std::vector<DeviceInfo>& all) {
    switch (atom.kind) {
    case SelectorAtom::Kind::backend:
        return device.backend == atom.text &&
               (!atom.index || device.id == atom.text + ":" + std::to_string(*atom.index));
    case SelectorAtom::Kind::opencl_cpu: {
        if (!is_opencl_cpu(device) || !atom.index)
            return is_opencl_cpu(device);
        std::size_t count = 0;
        for (const DeviceInfo& other : all) {
            if (other.id == device.id)
                return count == *atom.index;
            count += is_opencl_cpu(other) ? 1 : 0;
        }
        return false;
    }
    case SelectorAtom::Kind::gpu:
        return device.type == DeviceType::gpu;
    case SelectorAtom::Kind::vendor:
        return device.type != DeviceType::cpu && known_vendor(device.vendor) == atom.text;
    case SelectorAtom::Kind::pci:
        return !device.pci.empty() && normal_pci(device.pci) == atom.text;
    case SelectorAtom::Kind::name:
        return lower_case(device.name).find(atom.text) != std::string::npos;
    }
    return false;
}

bool may_match(const SelectorAtom& atom, std::string_view backend) noexcept {
    switch (atom.kind) {
    case SelectorAtom::Kind::backend:
        return backend == atom.text;
    case SelectorAtom::Kind::opencl_cpu:
        return backend == "opencl";
    case SelectorAtom::Kind::vendor:
        return backend != "cpu" && (backend != "cuda" || atom.text == "nvidia");
    case SelectorAtom::Kind::gpu:
    case SelectorAtom::Kind::pci:
        return backend != "cpu";
    case SelectorAtom::Kind::name:
        return true;
    }
    return true;
}

bool covers(const SelectorAtom& atom, std::string_view backend) noexcept {
    if (atom.kind == SelectorAtom::Kind::backend)
        return atom.text == backend && !atom.index;
    // CUDA has nothing but NVIDIA's GPUs
    return backend == "cuda" &&
           (atom.kind == SelectorAtom::Kind::gpu || (atom.kind == SelectorAtom::Kind::vendor && atom.text == "nvidia"));
}

} // namespace devq::detail
