// One step of a radix sort: counts of a bit, their scan, and the scatter.
// run: by_lowest_bit global=8 local=8
// arg: buf:u32:8:iota
// arg: buf:u32:8
// expect out: 0 2 4 6 1 3 5 7
__kernel void by_lowest_bit(__global const uint* in, __global uint* out) {
    __local uint ones[8];
    const uint id = get_local_id(0), n = get_local_size(0), key = in[id], bit = key & 1;
    ones[id] = bit;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0, all_ones = 0;
    for (uint k = 0; k < n; k++) { before += k < id ? ones[k] : 0; all_ones += ones[k]; }
    out[bit ? n - all_ones + before : id - before] = key;
}
