// Kernels split at their barriers: a loop over the group computes what items do that really wait for one another.
#include "split_support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define N 64
// Each kernel: out and in of N ints an item-group, a scalar; local memory of its own.
__kernel void reduce(__global int* out, __global const int* in, int n) {
    __local int part[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int sum = 0;
    for (int i = lid; i < n; i += size) sum += in[i];
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
        if (lid < s) part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) out[get_group_id(0)] = part[0];
}
__kernel void blelloch(__global int* out, __global const int* in, int n) {
    __local int t[2 * N];
    const int lid = get_local_id(0), size = 2 * get_local_size(0);
    const __global int* mine = in + get_group_id(0) * size;
    int offset = 1;
    t[2 * lid] = mine[2 * lid];
    t[2 * lid + 1] = mine[2 * lid + 1];
    for (int d = size >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) { int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1; t[b] += t[a]; }
        offset *= 2;
    }
    if (lid == 0) t[size - 1] = 0;
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1;
            int keep = t[a]; t[a] = t[b]; t[b] += keep;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * size + 2 * lid] = t[2 * lid];
    out[get_group_id(0) * size + 2 * lid + 1] = t[2 * lid + 1];
}
__kernel void bitonic(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const uint lid = get_local_id(0);
    t[lid] = in[get_global_id(0)];
    for (uint k = 2; k <= get_local_size(0); k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint other = lid ^ j;
            if (other > lid) {
                const bool up = (lid & k) == 0;
                if ((t[lid] > t[other]) == up) { const int x = t[lid]; t[lid] = t[other]; t[other] = x; }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[lid];
}
int scan(int x, __local int* t, int size) { // a helper with barriers and a result
    const int lid = get_local_id(0);
    t[lid] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
        const int left = lid >= d ? t[lid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[lid] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return t[lid];
}
void swap_ends(__local int* t, int x) {
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void radix(__global int* out, __global const int* in, int n) {
    __local int t[N], keys[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int key = in[get_global_id(0)] & 0xff;
    for (int bit = 0; bit < 8; ++bit) {
        const int one = key >> bit & 1;
        const int before = scan(one, t, size);
        const int ones = t[size - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        keys[one ? size - ones + before - 1 : lid - before] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = keys[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    swap_ends(t, key + scan(lid > 2 && key ? 1 : 2, t, size) + scan(scan(2, t, size), t, size));
    out[get_global_id(0)] = t[size - 1 - lid];
}
__kernel void copies(__global int* out, __global const int* in, int n) {
    __local int t[N];
    event_t e = async_work_group_copy(t, in + get_group_id(0) * get_local_size(0), get_local_size(0), (event_t)0);
    int x = n * get_local_id(0);
    wait_group_events(1, &e);
    x += t[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * get_local_size(0), t, get_local_size(0), e);
    wait_group_events(1, &e);
}
__kernel __attribute__((reqd_work_group_size(4, 4, 2))) void cube(__global int* out, __global const int* in, int n) {
    __local int t[2][4][5];
    const int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    const int at = (z * 4 + y) * 4 + x;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        t[z][y][x] = in[at] + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 4; ++k) sum += t[z][k][x] * t[1 - z][y][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_group_id(0) * 32 + at] = sum;
}
)";

const HostProgram& program() {
    static const HostProgram compiled(source, false, "-O2");
    return compiled;
}

} // namespace

TEST_CASE("split: the same results as of items that wait for one another") {
    if (no_compiler())
        return;
    for (const std::uint64_t size : {1, 2, 8, 32})
        for (const char* kernel : {"reduce", "blelloch", "bitonic", "radix", "copies"})
            compare_split(program(), kernel, 100, {2 * size, 1, 1}, {size, 1, 1});
    for (const int n : {1, 5})
        compare_split(program(), "cube", n, {8, 4, 2}, {4, 4, 2});
}

TEST_CASE("split: known results") {
    if (no_compiler())
        return;
    std::vector<int> in(64), out(64);
    std::iota(in.begin(), in.end(), 0);
    int n = 64;
    program().run("reduce", {Argument::of(out), Argument::of(in), Argument::value(n)}, {16, 1, 1}, {16, 1, 1});
    CHECK(out[0] == 2016);
    program().run("blelloch", {Argument::of(out), Argument::of(in), Argument::value(n)}, {32, 1, 1}, {32, 1, 1});
    for (int i = 0; i < 64; ++i)
        CHECK(out[static_cast<std::size_t>(i)] == i * (i - 1) / 2);
    in = random_ints(64, 1);
    program().run("bitonic", {Argument::of(out), Argument::of(in), Argument::value(n)}, {64, 1, 1}, {64, 1, 1});
    std::sort(in.begin(), in.end());
    CHECK(out == in);
}
