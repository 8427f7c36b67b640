#pragma once
/// `devq info`: what a device says that it can do, next to what came of trying it.

#include "backend_readings.hpp"
#include <devq/devq.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace devq::tools {

/// How advertised and verified compare.
enum class Verdict {
    agrees,
    lies,      ///< less than advertised, or nothing of it
    exceeds,   ///< more than advertised
    unclaimed, ///< the driver says nothing of it
    untried,   ///< not advertised, so not tried; or the device was lost before
};
std::string_view to_string(Verdict verdict) noexcept;

struct Capability {
    enum class Kind { yes_no, bytes, count };
    std::string name;  ///< in the JSON document: docs/cli.md
    std::string label; ///< for people
    Kind kind = Kind::yes_no;
    std::optional<std::uint64_t> advertised, verified; ///< 0 and 1 stand for no and yes
    std::string reason;                                ///< why it is less than advertised

    Verdict verdict() const noexcept;
};

struct DeviceReport {
    DeviceInfo info;
    Capabilities limits; ///< meaningless where the device did not open
    std::vector<Capability> capabilities;
    std::vector<std::pair<std::string, std::string>> versions;
    backend::Readings readings; ///< taken before the device was opened
    std::string error;          ///< why it did not open, or was lost on the way; else empty
};

/// Runs every check on the device. Throws nothing that a device may do: see DeviceReport::error.
DeviceReport examine_device(const DeviceInfo& info);

/// An environment variable that has a say in a backend's devices.
struct Variable {
    std::string name;
    std::optional<std::string> value; ///< null where it is not set
};
/// Those of devq and of the drivers, known ones first; of others (POCL_..., RUSTICL_...) the set ones.
std::vector<Variable> variables_of(std::string_view backend);

void print_report(const DeviceReport& report);
nlohmann::ordered_json as_json(const DeviceReport& report);

} // namespace devq::tools
