#pragma once
/// For operations that move elements without looking at them: any type, by its size.

#include "checks.hpp"
#include <cstdint>

namespace devq::detail {

/// `value` as an element of `type`, rounded once, to nearest even; throws invalid_argument where an integer type does
/// not have it.
std::uint64_t bits_of(const OpCall& call, DType type, double value);

/// "SIZE=4" for builtin_kernel().
inline std::string_view size_constant(DType type) {
    const std::size_t size = size_of(type);
    return size == 1 ? "SIZE=1" : size == 2 ? "SIZE=2" : size == 4 ? "SIZE=4" : "SIZE=8";
}

/// Neighbours that a work-item takes: a CPU's many (fewer where it walks across lines of the cache), a GPU's one, since
/// its work-items write side by side.
inline std::int32_t run_length(unsigned group, bool strided) { return group > 1 ? 1 : strided ? 256 : 1024; }

} // namespace devq::detail
