#pragma once
/// Kernels of the trials of `devq info`. They are no operations of devq's, so that they stand beside their callers.

namespace devq::tools {

struct TrialKernel {
    const char* name;
    const char* text;
    bool core; ///< every device should build it: built together with the others
};

inline constexpr TrialKernel trial_kernels[] = {
    {"devq_half", R"(
kernel void devq_half(global const half* from, global half* back, global const float* wide, global half* rounded) {
    size_t i = get_global_id(0);
    vstore_half(vload_half(i, from), i, back);
    if (i < 8)
        vstore_half(wide[i], i, rounded);
}
)",
     true},
    {"devq_half_vectors", R"(
kernel void devq_half_vectors(global const half* from, global half* back, int n) {
    size_t i = get_global_id(0);
    vstore_half16(vload_half16(i, from), i, back);
    for (size_t k = 2 * i; k < 2 * i + 2; ++k)
        vstore_half8(vload_half8(k, from), k, back + n);
    for (size_t k = 4 * i; k < 4 * i + 4; ++k)
        vstore_half4(vload_half4(k, from), k, back + 2 * n);
    for (size_t k = 8 * i; k < 8 * i + 8; ++k)
        vstore_half2(vload_half2(k, from), k, back + 3 * n);
}
)",
     true},
    {"devq_bfloat", R"(
kernel void devq_bfloat(global const ushort* from, global ushort* back, float one) {
    size_t i = get_global_id(0);
    uint bits = as_uint(as_float((uint)from[i] << 16) * one);
    back[i] = (ushort)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
)",
     true},
    {"devq_local", R"(
kernel void devq_local(global uint* wrong, local uint* tile, uint words) {
    uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint i = item; i < words; i += items)
        tile[i] = i * 2654435761u;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bad = 0;
    for (uint i = item; i < words; i += items)
        bad += tile[words - 1 - i] != (words - 1 - i) * 2654435761u ? 1u : 0u;
    wrong[item] = bad;
}
)",
     true},
    {"devq_group", R"(
kernel void devq_group(global uint* out, local uint* tile) {
    uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    uint item = (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));
    tile[item] = item;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[item] = tile[items - 1 - item];
}
)",
     true},
    {"devq_atomics", R"(
kernel void devq_atomics(global int* to) {
    int i = (int)get_global_id(0);
    atomic_add(&to[0], 3);
    atomic_max(&to[1], i);
    atomic_or(&to[2], 1 << (i & 15));
    int seen = to[3];
    for (int before = atomic_cmpxchg(&to[3], seen, seen + 2); before != seen;
         before = atomic_cmpxchg(&to[3], seen, seen + 2))
        seen = before;
}
)",
     true},
    {"devq_meet", R"(
kernel void devq_meet(global int* flags, global int* met, int mine, int other, int limit) {
    atomic_xchg(&flags[mine], 1);
    int there = 0;
    for (int i = 0; i < limit && there == 0; ++i)
        there = atomic_add(&flags[other], 0);
    met[mine] = there;
}
)",
     true},
    {"devq_work", R"(
kernel void devq_work(global float* x) {
    size_t i = get_global_id(0);
    float y = x[i];
    for (int k = 0; k < 64; ++k)
        y = y * 0.5f + 1.0f;
    x[i] = y;
}
)",
     true},
    {"devq_double", R"(
kernel void devq_double(global double* to, double x) {
    to[0] = x * x;
    to[1] = x + 1.0;
}
)",
     false},
    {"devq_print", R"(
kernel void devq_print(int value) { printf("devq %d\n", value); }
)",
     false},
    {"devq_long_atomics", R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void devq_long_atomics(global long* to) { atom_add(to, (1L << 32) + 1L); }
)",
     false},
};

} // namespace devq::tools
