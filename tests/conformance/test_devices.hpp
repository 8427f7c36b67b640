#pragma once
/// What the doctest programs of the suite run on, from their environment.

#include <cstdint>
#include <devq/device.hpp>
#include <string>
#include <vector>

namespace devq::conformance {

/// The device that DEVQ_TEST_DEVICE selects, else every device present. One that cannot be had is a line
/// "skipped: NAME: reason"; one that is there and does not open throws.
std::vector<Device> devices_to_test();
/// DEVQ_TEST_SEED, else a fresh one; the same for all of the process.
std::uint64_t test_seed();
/// DEVQ_TEST_QUICK=1
bool test_quick();

} // namespace devq::conformance
