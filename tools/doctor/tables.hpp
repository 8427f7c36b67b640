#pragma once
/// The table of causes (causes/) and the other texts that causes.py puts into the program.

#include "tools/doctor/cause_ids.hpp"
#include <string_view>

namespace devq::doctor {

enum class Severity {
    prevents, ///< a device that is there cannot be used
    limits,   ///< something works less well than it could
    risks,    ///< works now, and will mislead
    tells,
};
std::string_view to_string(Severity severity) noexcept;

/// A row. Texts have places in braces; commands are lines, by manager of packages, `any` for every system.
struct Cause {
    std::string_view id, layer;
    Severity severity;
    std::string_view areas; ///< words between spaces
    std::string_view what, why, mend;
    std::string_view apt, ubuntu, dnf, pacman, zypper, any;
    std::string_view meanwhile;
};

/// In the order in which to mend; by CauseId.
extern const Cause causes[cause_count];
extern const std::string_view versions_text; ///< versions.txt
extern const std::string_view examine_text;  ///< examine.py

} // namespace devq::doctor
