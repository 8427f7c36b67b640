// Functions that stay apart: with vectors, arrays and local memory, an id of their own, and a barrier.
// run: apart global=8 local=4
// arg: buf:i32:8:iota
// arg: buf:i32:8
// expect out: 4 9 14 19 24 29 34 39
__attribute__((noinline)) static int4 doubled(int4 v, int* total) {
    *total += v.x + v.w;
    return v * 2;
}
__attribute__((noinline)) int next_of_group(int x, __local int* shared) {
    const int id = get_local_id(0);
    shared[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = id + 1 < (int)get_local_size(0) ? shared[id + 1] : x + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return next;
}
static int __attribute__((noinline)) mine(__global const int* in) { return in[get_global_id(0)]; }
__kernel void apart(__global const int* in, __global int* out) {
    __local int shared[4];
    int total = 0;
    const int x = mine(in), next = next_of_group(x, shared);
    const int4 v = doubled((int4)(x, next, 1, 2), &total);       // total x + 2
    out[get_global_id(0)] = v.s0 + v.s1 + v.s3 / 2 + total - 2;  // 2x + 2(x + 1) + 2 + x
}
