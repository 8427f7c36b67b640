#pragma once
/// What backends with a compiler of devq's own choosing have to claim of it. Header only: modules use it.

#include "backend.hpp"
#include <vector>

namespace devq::detail {

/// The parts of the kernel language that devq's front end writes out in C++ for such a compiler; each is tried.
inline std::vector<backend::Claim> claims_of_front_end() {
    return {{"atomics_32", 1, {}, {}}, {"atomics_64", 1, {}, {}}, {"printf", 1, {}, {}}, {"event_timing", 1, {}, {}}};
}

} // namespace devq::detail
