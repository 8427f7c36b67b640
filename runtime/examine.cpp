#include "examine.hpp"
#include "state.hpp"

namespace devq::detail {

backend::Examination examine(const Device& device) {
    constexpr auto operation = "examine";
    DeviceState& state = *device.state();
    state.check_usable(operation);
    return call_backend(state, operation, [&] { return state.device->examine(); });
}

} // namespace devq::detail
