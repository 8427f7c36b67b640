#pragma once
/// The smallest shape that fails: the first to look at.

#include "suite.hpp"

namespace devq::conformance {

/// Product of the numbers in a shape's text: good enough to try small ones first; 0 for empty tensors.
double size_hint(std::string_view shape) noexcept;
/// Small ones first.
std::vector<const Case*> by_size(std::vector<const Case*> cases);

/// Of each operation and type that failed among `results` the failure of the fewest elements. Cases of these that have
/// not run yet (--quick, --shape) are tried too, small ones first, for about so many `seconds`. Where the device was
/// lost, the case that lost it alone.
std::vector<Result> smallest_failures(const Queue& queue, const std::vector<Result>& results, std::uint64_t seed,
                                      double seconds = 20);

} // namespace devq::conformance
