#pragma once
/// The round trip on each device of this machine, in a process of its own: a driver may crash or hang.

#include "facts.hpp"
#include <string>

namespace devq::doctor {

/// Starts this program again for the devices that `selector` takes ("" for all), and once more without a device that
/// ended it. Throws nothing: see Trial::ended.
Trial try_devices(const std::string& selector);

/// What the other process does: says on stdout, a line each, what it finds.
void run_trial(const std::string& selector);

} // namespace devq::doctor
