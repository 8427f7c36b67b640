#include "layout.hpp"
#include "../builtin.hpp"
#include "../state.hpp"
#include <bit>

namespace devq::detail {

namespace {

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Elements that are worth a group of their own on a CPU: a microsecond or two.
constexpr std::int64_t worthwhile = 8192;
/// Groups for each core (or compute unit), so that an uneven load evens out.
constexpr std::int64_t groups_per_core = 4, groups_per_unit = 32;

} // namespace

Split split(const DeviceState& device, const BuiltinKernel& kernel, std::int64_t units, std::int64_t cost,
            bool cooperative, std::int64_t width) {
    Split result;
    const std::int64_t cores = std::max(device.info.compute_units, 1u);
    std::int64_t least = 0; // units in a group
    if (kernel.group == 1) {
        least = std::max(up(units, cores * groups_per_core), up(worthwhile, std::max<std::int64_t>(cost, 1)));
    } else {
        const auto useful =
            std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(cooperative ? width : units, 1)));
        result.local = static_cast<unsigned>(std::min<std::uint64_t>(kernel.group, useful));
        least = up(units, cores * groups_per_unit);
        if (!cooperative)
            least = up(least, result.local) * result.local;
    }
    result.units_per_group = std::max<std::int64_t>(least, 1);
    result.groups = up(units, result.units_per_group);
    return result;
}

} // namespace devq::detail
