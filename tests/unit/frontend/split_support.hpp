#pragma once
// Kernels that are split at their barriers: out and in of 256 ints, and a number.
#include "support.hpp"

namespace devq::frontend::test {

/// Says so, too.
bool no_compiler();

std::vector<int> random_ints(std::size_t count, std::uint32_t seed);

/// Requires that the kernel is split, and that it computes what items do that really wait for one another.
void compare_split(const HostProgram& of, const char* kernel, int n, Size global, Size local,
                   bool may_write_nothing = false);

} // namespace devq::frontend::test
