#include "state.hpp"
#include <devq/buffer.hpp>

namespace devq {

std::size_t Buffer::size() const noexcept { return state_ ? state_->bytes : 0; }

Device Buffer::device() const {
    if (!state_)
        throw Error(ErrorCode::invalid_argument, "Buffer::device", "this Buffer is an empty handle",
                    "Allocate it with Device::allocate.");
    return Device(state_->device);
}

} // namespace devq
