#pragma once
/// How a product of matrices is cut into work-groups, for the kernels on kernels/prelude/tile.cl; and what follows it.

#include "../builtin.hpp"
#include <cstdint>
#include <devq/ops/elementwise.hpp>
#include <devq/ops/matmul.hpp>
#include <string_view>

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

/// The kernel that does an activation (any but none) after a vendor's library, and what Placement says of it.
struct Follower {
    ops::Unary function;
    std::string_view told, told_with_bias;
};
Follower follower(ops::Activation activation) noexcept;

} // namespace devq::detail
