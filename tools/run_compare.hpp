#pragma once
/// How two devices' results differ.

#include "npy.hpp"
#include <cstddef>
#include <cstdint>

namespace devq::tools {

struct Difference {
    std::size_t elements = 0, differing = 0; ///< differing: not the same bits, or not both NaN
    std::size_t beyond = 0;                  ///< further apart than the tolerance
    double largest = 0;                      ///< |a - b|; infinite where only one is NaN or infinite
    std::size_t index = 0;                   ///< where that is
};

/// What is expected of two right devices that round differently once in a while: a few units of rounding. 0 for
/// integers.
double default_tolerance(DType type);

/// Two arrays of one type and size. Beyond means |a - b| > tolerance · the largest magnitude in either array.
Difference compare(const Array& a, const Array& b, double tolerance);

} // namespace devq::tools
