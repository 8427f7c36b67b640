#pragma once
/// What a device's driver says of itself beyond DeviceInfo and Capabilities, for `devq info`.

#include "backend.hpp"
#include <devq/api.hpp>
#include <devq/device.hpp>

namespace devq::detail {

/// Asks the backend, which may run small kernels. Throws what these throw.
DEVQ_API backend::Examination examine(const Device& device);

/// What a device of `devq list` is doing. Opens nothing; empty where its backend cannot tell.
DEVQ_API backend::Readings readings(const DeviceInfo& device);

} // namespace devq::detail
