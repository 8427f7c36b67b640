// atomic_xchg of float, and addition of floats by compare and exchange.
// run: add global=16
// arg: buf:f32:2
// arg: buf:f32:1
// expect sum: 7.5 0
// expect last: 3.5
void add_float(volatile __global float* at, float x) {
    union { uint u; float f; } old, next;
    do {
        old.f = *at;
        next.f = old.f + x;
    } while (atomic_cmpxchg((volatile __global uint*)at, old.u, next.u) != old.u);
}
__kernel void add(__global float* sum, __global float* last) {
    add_float(sum, get_global_id(0) / 16.0f);
    atomic_xchg(last, 3.5f);
}
