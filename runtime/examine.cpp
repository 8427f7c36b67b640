#include "examine.hpp"
#include "registry.hpp"
#include "state.hpp"
#include <cstdlib>

namespace devq::detail {

backend::Examination examine(const Device& device) {
    constexpr auto operation = "examine";
    DeviceState& state = *device.state();
    state.check_usable(operation);
    return call_backend(state, operation, [&] { return state.device->examine(); });
}

backend::Readings readings(const DeviceInfo& device) {
    const BackendEntry& entry = Registry::instance().entry(device.backend);
    if (entry.backend == nullptr)
        return {};
    const std::size_t index = std::strtoul(device.id.c_str() + device.backend.size() + 1, nullptr, 10);
    return entry.backend->readings(index / entry.parts);
}

} // namespace devq::detail
