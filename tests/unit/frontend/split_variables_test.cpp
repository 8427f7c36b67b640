// Kernels split at their barriers: where their variables live.
#include "split_support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define N 64
// Each kernel: out and in of N ints an item-group, a scalar; local memory of its own.
struct state { int count; float4 v; };
__kernel void variables(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int kept[4] = {lid, 1, 2, 3};
    const int table[3] = {5, 6, 7};
    struct state s = {lid, (float4)(1, 2, 3, lid)};
    int addressed = lid * 2;
    int* p = &addressed;
    __local int* mine = t + lid;
    const __global int* q = in;
    q += lid;
    float4 f = (float4)(lid);
    uchar small = 250;
    n += lid;                       // a parameter of its own
    *mine = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    kept[lid & 3] += t[(lid + 1) % size];
    s.count++; s.v.xy = s.v.wz;
    *p += 3; f.x += table[lid % 3]; small += 9;
    int later;                      // written before it is read, in another region
    barrier(CLK_LOCAL_MEM_FENCE);
    later = kept[0] + kept[1] * 3 + s.count;
    t[lid] = later + addressed;
    barrier(CLK_LOCAL_MEM_FENCE);
    int last = t[size - 1 - lid], unused = 4;
    out[gid] = last + *q + n + (int)(f.x + f.w + s.v.x) + small + kept[lid & 3];
}
__kernel void shadows(__global int* out, __global const int* in, int n) {
    __local int t[N];
    int x = get_local_id(0), x_2 = 5;
    { int x = 7; t[get_local_id(0)] = x + x_2; barrier(CLK_LOCAL_MEM_FENCE); x += t[0]; out[get_global_id(0)] = x; }
    for (int x = 0; x < 2; ++x) { barrier(CLK_LOCAL_MEM_FENCE); x_2 += x; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] += x * 1000 + x_2;
}
__constant int hidden = 5, also_hidden = 6;
int hides(int also_hidden, __local int* t) { // the constant's name again, in a helper
    also_hidden += get_local_id(0);
    t[get_local_id(0)] = also_hidden;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[0] + also_hidden;
}
__kernel void constants(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int gid = get_global_id(0);
    out[gid] = hidden * 1000 + also_hidden;
    { int hidden = in[gid]; t[get_local_id(0)] = hidden; barrier(CLK_LOCAL_MEM_FENCE); hidden += t[0]; out[gid] += hidden; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += hides(n, t) + also_hidden;
}
__kernel void first_parts(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0);
    int sum = 0, step = 1;
    for (int s = 1, at = lid + s; s < 8; s *= 2) { // at stays what it was
        t[lid] = at * s;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += at + t[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (const int at = lid * step; step < 4; step++) {
        for (int i = 0, inner = lid + step; i < 2; ++i) { // the step changes around this one
            t[lid] = inner;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += at + inner * t[0];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = sum;
}
)";

const HostProgram& program() {
    static const HostProgram compiled(source, false, "-O2");
    return compiled;
}

} // namespace

TEST_CASE("split: variables keep their values across barriers") {
    if (no_compiler())
        return;
    for (const std::uint64_t size : {1, 2, 8, 32})
        for (const char* kernel : {"variables", "shadows", "constants", "first_parts"})
            compare_split(program(), kernel, 100, {2 * size, 1, 1}, {size, 1, 1});
}
