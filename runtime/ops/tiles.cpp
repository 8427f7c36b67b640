#include "tiles.hpp"
#include "../state.hpp"
#include <algorithm>

namespace devq::detail {

namespace {

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Blocks of about one size, none above `most`, in whole tiles.
std::int64_t even(std::int64_t size, std::int64_t most, std::int64_t tile) {
    return up(up(size, up(size, most)), tile) * tile;
}

} // namespace

Blocks choose_blocks(const DeviceState& device, const BuiltinKernel& kernel, std::int64_t m, std::int64_t n,
                     std::int64_t k, std::int64_t batches) {
    const auto constant = [&](const char* name) { return std::int64_t{constant_int(kernel.constants, name)}; };
    const std::int64_t tile_m = constant("TM"), tile_n = constant("VW") * constant("TV");
    std::int64_t most_m = constant("MB"), most_n = constant("NB");
    std::int64_t block_m = even(m, most_m, tile_m), block_n = even(n, most_n, tile_n);
    Blocks blocks;
    if (kernel.group == 1) {
        const std::int64_t cores = std::max(device.info.compute_units, 1u);
        constexpr std::int64_t least_work = 1 << 17; // multiplications: about two microseconds
        for (;;) {
            const std::int64_t groups = batches * up(m, block_m) * up(n, block_n);
            if (groups % cores == 0 || groups >= 4 * cores ||
                block_m * block_n * std::max<std::int64_t>(k, 1) < 2 * least_work)
                break;
            const bool rows = block_m / tile_m > 1 && (block_m >= block_n || block_n <= tile_n);
            std::int64_t& most = rows ? most_m : most_n;
            std::int64_t& block = rows ? block_m : block_n;
            const std::int64_t tile = rows ? tile_m : tile_n;
            if (block <= tile)
                break;
            most = up(block / 2, tile) * tile;
            block = even(rows ? m : n, most, tile);
        }
    } else {
        const std::int64_t tiles = block_m * block_n / (tile_m * tile_n);
        while (blocks.local < kernel.group && blocks.local < tiles)
            blocks.local *= 2;
    }
    blocks.m = static_cast<std::int32_t>(block_m);
    blocks.n = static_cast<std::int32_t>(block_n);
    blocks.across_m = up(m, block_m);
    blocks.across_n = up(n, block_n);
    return blocks;
}

} // namespace devq::detail
