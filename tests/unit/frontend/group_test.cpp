// Kernels over many work-items: ids, local memory, barriers, atomics, copies by the group.
#include "support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
__kernel void ids(__global ulong* out) {
    const size_t n = get_global_size(0), i = (get_global_id(0) - get_global_offset(0)) +
        n * ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
    out[i] = get_global_id(0) + 1000ul * get_global_id(1) + 1000000ul * get_global_id(2) +
             10000000000ul * get_local_id(0) + 100000000000ul * get_group_id(1) + 1000000000000ul * get_num_groups(0) +
             10000000000000ul * get_local_size(2) + 100000000000000ul * get_work_dim();
}
__kernel void beyond(__global ulong* out) {
    out[0] = get_global_id(3) + get_group_id(7) + get_local_id(3); out[1] = get_global_size(3); out[2] = get_local_size(4); out[3] = get_num_groups(9);
}
__kernel void wide(__global ulong* out, const ulong base) { out[get_global_id(0) - base] = get_global_id(0); }
__kernel void saxpy(__global float* restrict y, __global const float* restrict x, const float a, const int n) {
    const int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
__kernel void reduce(__global const float* x, __global float* out, const int n, __local float* scratch) {
    __local int count;
    const int id = get_local_id(0);
    if (id == 0) count = 0;
    float sum = 0;
    for (int i = get_group_id(0) * n + id; i < (int)(get_group_id(0) + 1) * n; i += get_local_size(0)) sum += x[i];
    scratch[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {
        if (id < half_size) scratch[id] += scratch[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) { out[2 * get_group_id(0)] = scratch[0]; out[2 * get_group_id(0) + 1] = count; }
}
__kernel void transpose(__global const int* in, __global int* out, const int n) {
    __local int tile[4][5];
    const int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 4 + y) * n + get_group_id(1) * 4 + x] = tile[x][y];
}
__kernel void atomics(__global int* a, __global uint* u) {
    const int i = get_global_id(0);
    atomic_add(a, i); atomic_sub(a + 1, i); atomic_max(a + 2, i); atomic_min(a + 3, -i); atomic_or(a + 4, 1 << (i & 7));
    atomic_and(a + 5, ~(1 << (i & 7))); atomic_xor(a + 6, i); atomic_inc(u); atomic_dec(u + 1); atomic_max(u + 2, 4000000000u + i);
    int old = a[7];
    while (true) { const int seen = atomic_cmpxchg(a + 7, old, old + 2); if (seen == old) break; old = seen; }
    atomic_xchg((__global float*)(a + 8), 1.5f);
    atom_add(a + 9, 2);
}
__kernel void group_copies(__global const int* in, __global int* out) {
    __local int all[8]; __local int strided[4];
    event_t e = async_work_group_copy(all, in, (size_t)8, (event_t)0);
    e = async_work_group_strided_copy(strided, in, (size_t)4, (size_t)2, e);
    wait_group_events(1, &e);
    e = async_work_group_copy(out, (const __local int*)all, (size_t)8, (event_t)0);
    e = async_work_group_strided_copy(out + 8, (const __local int*)strided, (size_t)4, (size_t)3, e);
    wait_group_events(1, &e);
}
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(__global int* out) { out[get_local_id(1) * 4 + get_local_id(0)] = 1; }
)";

const HostProgram& program(bool single) {
    static const HostProgram one(source, true, "-O2"), many(source, false, "-O2");
    return single ? one : many;
}

bool no_compiler() {
    if (host_compiler().empty())
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
    return host_compiler().empty();
}

std::uint64_t id_of(Size global, Size local, Size offset, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    const std::uint64_t dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
    return x + offset[0] + 1000 * (y + offset[1]) + 1000000 * (z + offset[2]) + 10000000000 * (x % local[0]) +
           100000000000 * (y / local[1]) + 1000000000000 * (global[0] / local[0]) + 10000000000000 * local[2] +
           100000000000000 * dimensions;
}

} // namespace

TEST_CASE("groups: ids in every dimension, with an offset") {
    if (no_compiler())
        return;
    const auto check = [](bool single, Size global, Size local, Size offset) {
        std::vector<std::uint64_t> out(global[0] * global[1] * global[2]);
        program(single).run("ids", {Argument::of(out)}, global, local, offset);
        std::size_t i = 0;
        for (std::uint64_t z = 0; z < global[2]; ++z)
            for (std::uint64_t y = 0; y < global[1]; ++y)
                for (std::uint64_t x = 0; x < global[0]; ++x, ++i)
                    REQUIRE(out[i] == id_of(global, local, offset, x, y, z));
    };
    check(false, {12, 6, 4}, {4, 3, 2}, {0, 0, 0});
    check(false, {12, 6, 1}, {4, 3, 1}, {5, 7, 0});
    check(false, {64, 1, 1}, {64, 1, 1}, {3, 0, 0});
    check(true, {5, 3, 2}, {1, 1, 1}, {0, 0, 0});
    check(true, {7, 1, 1}, {1, 1, 1}, {9, 0, 0});
    for (const bool single : {false, true}) {
        std::vector<std::uint64_t> out(4, 99);
        program(single).run("beyond", {Argument::of(out)}, {1, 1, 1});
        CHECK(out == std::vector<std::uint64_t>{0, 1, 1, 1});
    }
}

TEST_CASE("groups: ids of more than 31 bits") {
    if (no_compiler())
        return;
    for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 31) - 8, std::uint64_t{5000000000}}) {
        std::uint64_t base = start;
        std::vector<std::uint64_t> out(16);
        program(false).run("wide", {Argument::of(out), Argument::value(base)}, {16, 1, 1}, {8, 1, 1}, {start, 0, 0});
        for (std::uint64_t i = 0; i < 16; ++i)
            CHECK(out[i] == start + i);
    }
}

TEST_CASE("groups: a guarded loop over items") {
    if (no_compiler())
        return;
    std::vector<float> x(1024), y(1024, 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    float a = 2.0f;
    int n = 1000;
    program(false).run("saxpy", {Argument::of(y), Argument::of(x), Argument::value(a), Argument::value(n)},
                       {1024, 1, 1}, {64, 1, 1});
    for (std::size_t i = 0; i < 1024; ++i)
        REQUIRE(y[i] == (i < 1000 ? 2.0f * static_cast<float>(i) + 1.0f : 1.0f));
}

TEST_CASE("groups: barriers and local memory, of the kernel and of arguments") {
    if (no_compiler())
        return;
    CHECK(program(false).kernel("reduce").uses_barrier);
    CHECK((program(false).kernel("reduce").run_groups != nullptr));
    CHECK(program(false).kernel("reduce").split);
    CHECK((program(true).kernel("reduce").run_groups != nullptr));
    CHECK((program(true).kernel("reduce").run_item == nullptr));
    for (const bool single : {true, false}) {
        std::vector<float> x(2 * 100), out(4);
        std::iota(x.begin(), x.end(), 1.0f);
        int n = 100;
        const std::uint64_t items = single ? 1 : 8;
        program(single).run(
            "reduce", {Argument::of(x), Argument::of(out), Argument::value(n), Argument::local(8 * sizeof(float))},
            {2 * items, 1, 1}, {items, 1, 1});
        CHECK(out == std::vector<float>{5050, static_cast<float>(items), 15050, static_cast<float>(items)});
    }
    std::vector<int> in(64), out(64);
    std::iota(in.begin(), in.end(), 0);
    int n = 8;
    program(false).run("transpose", {Argument::of(in), Argument::of(out), Argument::value(n)}, {8, 8, 1}, {4, 4, 1});
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j)
            CHECK(out[i * 8 + j] == in[j * 8 + i]);
    CHECK(program(false).kernel("transpose").local_bytes == 80);
}

TEST_CASE("groups: atomics") {
    if (no_compiler())
        return;
    std::vector<int> a{0, 0, 0, 0, 0, 255, 0, 0, 0, 0};
    std::vector<std::uint32_t> u{0, 64, 0};
    program(false).run("atomics", {Argument::of(a), Argument::of(u)}, {64, 1, 1}, {16, 1, 1});
    CHECK(a == std::vector<int>{2016, -2016, 63, -63, 255, 0, 0, 128, 0x3fc00000, 128});
    CHECK(u == std::vector<std::uint32_t>{64, 0, 4000000063u});
}

TEST_CASE("groups: copies by the whole group") {
    if (no_compiler())
        return;
    for (const bool single : {true, false}) {
        std::vector<int> in{10, 11, 12, 13, 14, 15, 16, 17}, out(18, -1);
        const std::uint64_t items = single ? 1 : 3;
        program(single).run("group_copies", {Argument::of(in), Argument::of(out)}, {items, 1, 1}, {items, 1, 1});
        CHECK(out == std::vector<int>{10, 11, 12, 13, 14, 15, 16, 17, 10, -1, -1, 12, -1, -1, 14, -1, -1, 16});
    }
}

TEST_CASE("groups: the table tells what the backend must know") {
    if (no_compiler())
        return;
    const devq_host_kernel& required = program(false).kernel("required");
    CHECK(std::equal(required.required_group, required.required_group + 3, Size{4, 2, 1}.begin()));
    CHECK(program(false).table().abi_version == DEVQ_HOST_ABI_VERSION);
    CHECK(program(false).kernel("saxpy").parameter_count == 4);
}
