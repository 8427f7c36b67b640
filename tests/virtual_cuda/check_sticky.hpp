#pragma once
#include "abi.hpp"

namespace virtual_cuda {

/// After these every call on the context fails: ours to say here, so that the backend's own list is tested by it.
inline bool is_sticky(devq::cuda::abi::Result result) noexcept {
    return result == 700 || result == 702 || result == 710 || (result >= 714 && result <= 719) || result == 214;
}

} // namespace virtual_cuda
