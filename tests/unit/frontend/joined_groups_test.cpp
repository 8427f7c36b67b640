// Groups that items cannot tell apart are run as one: which kernels that is, and that each item still runs once.
#include "support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <random>

using namespace devq::frontend;
using namespace devq::frontend::test;

namespace {

const char* const source = R"(
uint place(void) { return get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2)); }
__kernel void joined(__global uint* n) { n[place()] += 1u + get_work_dim(); }
uint within(void) { return get_local_id(0); }
__kernel void by_helper(__global uint* n) { n[get_global_id(0)] = within(); }
__kernel void by_group(__global uint* n) { n[get_global_id(0)] = get_group_id(0); }
__kernel void by_size(__global uint* n) { n[get_global_id(0)] = get_local_size(0) + get_num_groups(0); }
__kernel void by_memory(__global uint* n, __local uint* own) { own[0] = n[get_global_id(0)]; n[get_global_id(0)] = own[0] + 1u; }
__kernel void by_variable(__global uint* n) { __local uint own; own = n[get_global_id(0)]; n[get_global_id(0)] = own + 1u; }
__kernel void by_print(__global uint* n) { printf("%d,%d ", (int)get_global_id(0), (int)get_global_id(1)); }
)";

bool no_compiler() {
    if (host_compiler().empty())
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
    return host_compiler().empty();
}

const HostProgram& program() {
    static const HostProgram made(source, false, "-O2");
    return made;
}

} // namespace

TEST_CASE("joined groups: only those that no item can tell apart") {
    const std::string text = program_text(source);
    const auto is_joined = [&](const std::string& kernel) {
        const auto entry = text.find("devq_groups_" + kernel + "(");
        REQUIRE(entry != std::string::npos);
        return text.substr(entry, text.find("\n}\n", entry) - entry).find("DEVQ_JOINED_ITEMS") != std::string::npos;
    };
    CHECK(is_joined("joined"));
    for (const char* kernel : {"by_helper", "by_group", "by_size", "by_memory", "by_variable", "by_print"}) {
        CAPTURE(kernel);
        CHECK_FALSE(is_joined(kernel));
    }
}

TEST_CASE("joined groups: each item runs once, for any groups and any part of them") {
    if (no_compiler())
        return;
    const std::uint32_t seed = test_seed();
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    const auto number = [&](std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(1, most)(random);
    };
    const devq_host_kernel& kernel = program().kernel("joined");
    for (int round = 0; round < 300; ++round) {
        devq_host_dispatch dispatch{};
        dispatch.dimensions = 3;
        std::uint64_t groups = 1, items = 1;
        for (int d = 0; d < 3; ++d) {
            dispatch.local_size[d] = number(d == 0 && round % 5 == 0 ? 300 : 8);
            dispatch.group_count[d] = number(d == 0 ? 70 : 4);
            dispatch.global_size[d] = dispatch.local_size[d] * dispatch.group_count[d];
            groups *= dispatch.group_count[d];
            items *= dispatch.global_size[d];
        }
        std::vector<std::uint32_t> counts(items, 0);
        void* const address = counts.data();
        dispatch.arguments = &address;
        for (std::uint64_t first = 0; first < groups;) {
            const std::uint64_t last = std::min(groups, first + number(groups));
            kernel.run_groups(&dispatch, first, last);
            first = last;
        }
        REQUIRE(counts == std::vector<std::uint32_t>(items, 4));
    }
}

TEST_CASE("joined groups: the others see theirs, and print in their order") {
    if (no_compiler())
        return;
    std::vector<std::uint32_t> n(8);
    program().run("by_helper", {Argument::of(n)}, {8, 1, 1}, {4, 1, 1});
    CHECK(n == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3});
    program().run("by_group", {Argument::of(n)}, {8, 1, 1}, {4, 1, 1});
    CHECK(n == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
    program().run("by_size", {Argument::of(n)}, {8, 1, 1}, {4, 1, 1});
    CHECK(n == std::vector<std::uint32_t>(8, 6));
    n = {1, 2, 3, 4, 5, 6, 7, 8};
    program().run("by_memory", {Argument::of(n), Argument::local(4)}, {8, 1, 1}, {1, 1, 1});
    program().run("by_variable", {Argument::of(n)}, {8, 1, 1}, {1, 1, 1});
    CHECK(n == std::vector<std::uint32_t>{3, 4, 5, 6, 7, 8, 9, 10});
    program().run("by_print", {Argument::of(n)}, {4, 2, 1}, {2, 2, 1});
    CHECK(program().printed == "0,0 1,0 0,1 1,1 2,0 3,0 2,1 3,1 ");
}
