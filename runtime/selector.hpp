#pragma once
/// Selection of devices by text. Grammar: list := term{','term}; term := ['!']atom;
/// atom := backend[':'N] | opencl-cpu[':'N] | gpu | nvidia | amd | intel | pci:ADDR | name:TEXT.
/// Order is preference; exclusions apply to the whole list; only exclusions = the default order minus them.

#include <array>
#include <cstddef>
#include <devq/device.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::detail {

/// The backends that devq has, most preferred first. A new backend adds its name here.
inline constexpr std::array<std::string_view, 3> backend_names{"cuda", "opencl", "cpu"};

struct SelectorAtom {
    enum class Kind {
        backend,    ///< `cpu`, `cuda:1`
        opencl_cpu, ///< a CPU seen through OpenCL; N counts these alone
        gpu,
        vendor, ///< `nvidia`, `amd`, `intel`: a GPU or accelerator of that maker, never a CPU
        pci,
        name, ///< part of the name, case ignored
    };
    Kind kind = Kind::gpu;
    std::string text;                 ///< backend, vendor, address in full form, or part of a name (lower case)
    std::optional<std::size_t> index; ///< N
    std::string written;              ///< as the user wrote it, for messages
};

struct Selector {
    std::vector<SelectorAtom> wanted; ///< in order of preference; empty = the default order
    std::vector<SelectorAtom> excluded;
};

/// Throws invalid_argument with a caret under the fault and the grammar. `source` names where the text came from
/// ("DEVQ_DEVICE"); empty = an argument. Empty text is the default selector.
Selector parse_selector(std::string_view text, std::string_view source = {});

/// Place in the default order: cuda, opencl GPU, opencl accelerator, cpu, opencl-cpu.
int default_rank(const DeviceInfo& device) noexcept;
/// `all` is every device of the backends concerned (opencl-cpu:N counts among them).
bool matches(const SelectorAtom& atom, const DeviceInfo& device, const std::vector<DeviceInfo>& all);
/// False only where no device of `backend` can match, so that the backend need not be loaded.
bool may_match(const SelectorAtom& atom, std::string_view backend) noexcept;
/// True where `atom` covers every device of `backend`.
bool covers(const SelectorAtom& atom, std::string_view backend) noexcept;

/// "0000:01:00.0" from any usual way to write it (domain left out, upper case); empty when it is not an address.
std::string normal_pci(std::string_view text);
std::string lower_case(std::string_view text);
/// "nvidia", "amd", "intel" from what a driver says of itself; else empty.
std::string_view known_vendor(std::string_view vendor);

} // namespace devq::detail
