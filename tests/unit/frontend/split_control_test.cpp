// Kernels split at their barriers: loops, conditions and jumps around them.
#include "split_support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define N 64
// Each kernel: out and in of N ints an item-group, a scalar; local memory of its own.
__kernel void control(__global int* out, __global const int* in, int n) {
    __local int t[N];
    __local int stop;
    const int lid = get_local_id(0), size = get_local_size(0);
    if (n < 0) return;              // all or none
    int x = in[get_global_id(0)] & 15, rounds = 0, y = 0;
    if (lid == 0) stop = 0;
    do {
        t[lid] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = t[(lid + 1) % size] + 1;
        if (lid == 0 && ++stop > n) stop = 100;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stop == 100) break;
        if (n > 2) { rounds += 10; continue; }
        rounds++;
    } while (rounds < 40);
    while (true) {
        y++;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y == 3) { t[lid] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[size - 1]; } else { x++; }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y >= n) break;
        if (lid & 1) continue;      // by some items, with nothing to wait for behind it
        x += 100;
        for (int i = 0; i < lid; ++i) { if (i == 3) break; x += i; }
    }
    for (int i = lid; i < lid + 3; ++i) { // as often for every item
        t[(i + 1) % size] = x + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        switch (n) { case 1: x += t[lid]; break; default: x -= t[lid]; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    { int x2 = x * 2; barrier(CLK_LOCAL_MEM_FENCE); x = x2 + rounds; }
    int w = n;
    for (;;) { if (w-- == 0) break; barrier(CLK_LOCAL_MEM_FENCE); x ^= w; }
    if (lid == 5) return;           // some, at the end
    y = x;
    if (lid > size / 2) { y++; if (y & 1) return; y = -y; }
    out[get_global_id(0)] = y;
}
// s stays the same for all items, whatever jumps around it: else its loop could not be left between barriers.
__kernel void tails(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int s = n, x = in[get_global_id(0)];
    for (int i = 0; i < 6; ++i) {
        t[lid] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[(lid + 1) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s > 4000) break;
        x += s;
        if (i == 1) continue;       // all items or none
        s = s * 3 + i;
        if (s & 4) { if (s & 8) continue; x ^= s; }
        s += 2;
        if (x & lid & 1) continue;  // some, when s is done with
        x += 5;
        if (lid == 3) { x++; continue; }
        x += 7;
    }
    out[get_global_id(0)] = x + s;
}
__kernel void inner_jumps(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int x = in[get_global_id(0)], rounds = 0, k = n;
    while (true) {                  // without barriers: all items leave it together
        if (k <= 1) break;
        if (k & 1) { k = k * 3 + 1; continue; }
        k >>= 1;
        rounds++;
        if (rounds > 9) break;
    }
    for (int i = 0; i < 3; ++i) {
        t[lid] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[(lid + rounds) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (rounds & 1) break;
        for (int j = 0; j < 4; ++j) { // some items alone
            if (j == lid) continue;
            if (x % 7 == j) break;
            x += j;
        }
        do { if (x & 1) { x++; continue; } x += 3; } while (x & 2);
        if (i == n) return;         // the end of the kernel by all
        rounds += i;
    }
    if (n == 7) return;
    rounds *= 2;
    out[get_global_id(0)] = x + rounds;
}
)";

const HostProgram& program() {
    static const HostProgram compiled(source, false, "-O2");
    return compiled;
}

} // namespace

TEST_CASE("split: loops and jumps, by all items or by some") {
    if (no_compiler())
        return;
    for (const std::uint64_t size : {1, 2, 8, 32})
        for (const int n : {-1, 0, 1, 2, 3, 7, 27})
            for (const char* kernel : {"control", "tails", "inner_jumps"})
                compare_split(program(), kernel, n, {2 * size, 1, 1}, {size, 1, 1}, true);
}
