// Local memory given by the launch, for two parameters at once.
// run: sums global=8 local=4
// arg: buf:i32:8:iota
// arg: buf:i32:2
// arg: local:16
// arg: local:32
// expect out: 24 88
__kernel void sums(__global const int* in, __global int* out, __local int* first, __local int2* second) {
    const int id = get_local_id(0), n = get_local_size(0);
    first[id] = in[get_global_id(0)];
    second[id] = (int2)(first[id], 2 * first[id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = n / 2; step > 0; step /= 2) {
        if (id < step) { first[id] += first[id + step]; second[id] += second[id + step]; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) out[get_group_id(0)] = first[0] + second[0].x + second[0].y;   // four times 6 and 22
}
