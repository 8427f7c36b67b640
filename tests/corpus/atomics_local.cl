// Atomics in local memory: a histogram of each group.
// run: histogram global=16 local=8
// arg: buf:i32:16:iota
// arg: buf:u32:6
// expect out: 3 3 2 3 2 3
__kernel void histogram(__global const int* in, __global uint* out) {
    __local uint bins[3];
    const int id = get_local_id(0);
    if (id < 3) bins[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(bins + in[get_global_id(0)] % 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 3) out[3 * get_group_id(0) + id] = bins[id];
}
