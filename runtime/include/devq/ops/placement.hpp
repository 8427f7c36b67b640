#pragma once
#include <devq/api.hpp>
#include <string_view>

namespace devq::ops {

/// Where an operation ran: read it to know, nothing falls back unseen.
struct Placement {
    std::string_view path = "none"; ///< "portable", "onednn", "cublaslt", ...; "none" when there was nothing to do
    std::string_view variant;       ///< constants of the kernel's shape, e.g. "T=f16 VW=16 TM=8 TV=2"
};

} // namespace devq::ops
