#include "split_support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <random>

namespace devq::frontend::test {

bool no_compiler() {
    if (host_compiler().empty())
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
    return host_compiler().empty();
}

std::vector<int> random_ints(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<int> values(count);
    for (int& value : values)
        value = static_cast<int>(random() % 1000);
    return values;
}

namespace {

std::vector<int> results(const HostProgram& of, const char* kernel, int n, Size global, Size local, std::uint32_t seed,
                         bool items_apart) {
    std::vector<int> in = random_ints(256, seed), out(256, -1);
    of.run(kernel, {Argument::of(out), Argument::of(in), Argument::value(n)}, global, local, {0, 0, 0}, items_apart);
    return out;
}

} // namespace

void compare_split(const HostProgram& of, const char* kernel, int n, Size global, Size local, bool may_write_nothing) {
    const std::uint32_t seed = test_seed();
    CAPTURE(kernel);
    CAPTURE(n);
    CAPTURE(local[0]);
    CAPTURE(seed);
    REQUIRE(of.kernel(kernel).split == 1);
    const auto split = results(of, kernel, n, global, local, seed, false);
    const auto apart = results(of, kernel, n, global, local, seed, true);
    CHECK(split == apart);
    if (!may_write_nothing)
        CHECK(std::count(split.begin(), split.end(), -1) < 256);
}

} // namespace devq::frontend::test
