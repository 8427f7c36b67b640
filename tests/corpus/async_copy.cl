// async_work_group_copy in both directions, the strided form, wait_group_events, prefetch.
// run: copies global=4 local=4
// arg: buf:i32:8:iota
// arg: buf:i32:8
// expect out: 10 12 14 16 6 4 2 0
__kernel void copies(__global const int* in, __global int* out) {
    __local int whole[4], spread[4];
    prefetch(in, 8);
    event_t e = async_work_group_copy(whole, in, 4, 0);
    e = async_work_group_strided_copy(spread, in, 4, 2, e);   // 0 2 4 6
    wait_group_events(1, &e);
    const int id = get_local_id(0);
    const int a = spread[id] + 10, b = spread[3 - id];
    barrier(CLK_LOCAL_MEM_FENCE);
    whole[id] = a; spread[id] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t both[2];
    both[0] = async_work_group_copy(out, whole, 4, 0);
    both[1] = async_work_group_copy(out + 4, spread, 4, 0);
    wait_group_events(2, both);
}
