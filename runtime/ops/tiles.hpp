#pragma once
/// How a product of matrices is cut into work-groups: for the kernels on kernels/prelude/tile.cl.

#include "../builtin.hpp"
#include <cstdint>

namespace devq::detail {

struct DeviceState;

/// The block of the result that a group computes, and how many there are.
struct Blocks {
    std::int32_t m = 0, n = 0; ///< multiples of the register tile, no larger than the variant allows
    std::int64_t across_m = 0, across_n = 0;
    unsigned local = 1; ///< work-items in a group
};

/// As large as the variant allows, since packing costs less the larger a block is, but small enough that all cores have
/// work. m, n at least 1; `batches` products of that size are launched together.
Blocks choose_blocks(const DeviceState& device, const BuiltinKernel& kernel, std::int64_t m, std::int64_t n,
                     std::int64_t k, std::int64_t batches);

} // namespace devq::detail
