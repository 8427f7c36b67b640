#pragma once
// Random kernels with barriers. They have no races: items exchange values by local memory, with a barrier before and
// behind, and every item of a group reaches the same barriers.

#include "expressions.hpp"
#include <array>
#include <cstdint>

namespace devq::generated {

struct Shape {
    std::array<std::size_t, 2> global, local;
};

/// Parameters of each kernel: __global ulong* out, __global const uint* in (both of `items`), const uint n.
struct KernelText {
    std::string name, text;
    unsigned dimensions = 1;
    std::vector<Shape> shapes; ///< that it is launched with
};

constexpr std::size_t items = 64;

/// The same by every compiler, for one seed.
KernelText kernel(std::uint32_t seed, const std::string& name);
/// What kernels of one program share: types and functions; goes before them.
std::string functions(std::uint32_t seed);

} // namespace devq::generated
