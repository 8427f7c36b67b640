#pragma once
/// Philox 4x32-10 on the host, for the cases of random numbers; checked against Random123's known answers.

#include <array>
#include <cstdint>
#include <devq/ops/random.hpp>

namespace devq::conformance {

using PhiloxBlock = std::array<std::uint32_t, 4>;

PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) noexcept;

/// Number `index` of the sequence that `state` begins, as random.hpp defines it.
std::uint32_t philox_word(const ops::RandomState& state, std::uint64_t index) noexcept;

} // namespace devq::conformance
