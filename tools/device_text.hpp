#pragma once
/// How commands show devices, and what is missing.

#include <devq/device.hpp>
#include <devq/dtype.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace devq::tools {

/// The fields that docs/cli.md promises of a device, and of an entry of `unavailable`.
nlohmann::ordered_json as_json(const DeviceInfo& device);
nlohmann::ordered_json as_json(const std::vector<Unavailable>& missing);

/// "part 1 of 2 (DEVQ_VIRTUAL_DEVICES)"; empty for a real device.
std::string virtual_text(const DeviceInfo& device);
/// "f32", "f16", ...
std::vector<std::string> names_of(const std::vector<DType>& types);

void print_unavailable(const std::vector<Unavailable>& missing);
/// The message where a selector has no device; all devices where it is empty.
std::string no_device_text(const std::string& selector);

} // namespace devq::tools
