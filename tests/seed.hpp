#pragma once
/// Seeds of random tests: printed, and taken back.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace devq::tests {

/// DEVQ_TEST_SEED, else a new one; says on stdout how to repeat the test.
inline std::uint64_t fresh_seed(const char* test) {
    const char* given = std::getenv("DEVQ_TEST_SEED");
    const std::uint64_t seed =
        given != nullptr && *given != '\0' ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("%s: seed %llu (DEVQ_TEST_SEED=%llu repeats it)\n", test, static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(seed));
    return seed;
}

} // namespace devq::tests
