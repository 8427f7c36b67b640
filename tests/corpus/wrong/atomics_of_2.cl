// error: 4:5: atomics of OpenCL C 2 are not supported; use atomic_add, atomic_xchg, atomic_cmpxchg and so on
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    atomic_fetch_add((volatile __global atomic_int*)out, 1);
}
