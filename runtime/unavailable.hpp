#pragma once
/// Why a backend or a GPU cannot be used: every code that `devq list` has, once. The registry lets no other through and
/// fills in what a backend leaves empty; docs/cli.md shows the same table (a test compares). Header only: modules use
/// it too.

#include <array>
#include <devq/device.hpp>
#include <string_view>

namespace devq::detail {

struct UnavailableCode {
    std::string_view code;
    std::string_view meaning;
    std::string_view remedy; ///< where nobody knows more: a backend that does says it in the entry itself
};

inline constexpr std::array<UnavailableCode, 10> unavailable_codes{{
    {"library_missing", "the vendor's library, the driver's user-space part, or devq's module is not installed",
     "Install the driver of the device's vendor, or the part of devq that is missing."},
    {"dependency_missing", "the library is there, another one that it needs is not",
     "Install the package that brings the library that the reason names, or add its folder to the loader's path."},
    {"symbol_missing", "a library lacks a function: too old, or not what its name says",
     "Update the library that the reason names, and take other ones of its name off the loader's path."},
    {"driver_too_old", "library, kernel driver and device do not fit together",
     "Update the driver; restart the machine if it was updated since the start."},
    {"driver_broken",
     "the driver fails, is a stub, or no kernel driver is bound to the device; or a module is damaged or of another "
     "devq",
     "Look into the kernel's log, and install the driver again."},
    {"permission", "the device's files may not be opened, or the device is set aside for virtual machines",
     "Give this user access to the device's files (groups render and video), or the container the device."},
    {"hidden_by_environment", "a variable (`CUDA_VISIBLE_DEVICES`, `OCL_ICD_VENDORS`) hides the device, or all",
     "Unset the variable that the reason names."},
    {"no_device", "the driver works and has no device",
     "If there is such a device, see whether the system shows it (lspci), and load its kernel driver."},
    {"unsupported_architecture", "the device is found, but this devq cannot run kernels on it",
     "Use another device, or another version of the driver or compiler."},
    {"crashed", "the driver crashed, or gave no answer in time",
     "Update or remove the driver; devq leaves it out meanwhile and uses the others."},
}};

/// Null for what is no code.
constexpr const UnavailableCode* find_code(std::string_view code) noexcept {
    for (const UnavailableCode& known : unavailable_codes)
        if (known.code == code)
            return &known;
    return nullptr;
}

/// Makes an entry as the table wants it: a known code, a reason and a remedy.
inline void complete(Unavailable& entry) {
    const UnavailableCode* known = find_code(entry.code);
    if (known == nullptr) {
        entry.reason += (entry.reason.empty() ? "" : " ") + ("(" + entry.code + ")");
        entry.code = "driver_broken";
        known = find_code(entry.code);
    }
    if (entry.reason.empty())
        entry.reason = known->meaning;
    if (entry.remedy.empty())
        entry.remedy = known->remedy;
}

} // namespace devq::detail
