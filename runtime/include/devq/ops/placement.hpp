#pragma once
#include <devq/api.hpp>
#include <string_view>

namespace devq::ops {

/// Which implementation of an operation to take, of those that have more than devq's own (matmul, conv2d).
enum class Path {
    automatic, ///< the one that DEVQ_PATH names, else the vendor's where that supports the call, else the portable one
    portable,  ///< devq's own kernels
    vendor,    ///< the library of the device's vendor; Error unsupported, with the reason, where that cannot do it
};
DEVQ_API std::string_view to_string(Path path) noexcept;

/// Where an operation ran: read it to know, nothing falls back unseen.
struct Placement {
    std::string_view path = "none"; ///< "portable", "cublaslt", "cudnn"; "none" when there was nothing to do
    /// Constants of the kernel's shape, e.g. "T=f16 VW=16 TM=8 TV=2"; of a vendor's path, what devq's own kernels
    /// added: "then relu".
    std::string_view variant;
};

} // namespace devq::ops
