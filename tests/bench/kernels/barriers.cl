/* Kernels as people write them for GPUs: groups of 256 work-items that meet at barriers. */
#define TILE 16
#define GROUP 256

__kernel void tiled_matmul(__global float* c, __global const float* a, __global const float* b, const int n) {
    __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        a_tile[y][x] = a[row * n + tile + x];
        b_tile[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

/* The sum of each group's elements. */
__kernel void reduce(__global float* sums, __global const float* x) {
    __local float part[GROUP];
    const int id = get_local_id(0);
    part[id] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (id < step)
            part[id] += part[id + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = part[0];
}

uint scan_group(uint value, __local uint* part) {
    const uint id = get_local_id(0);
    part[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
        const uint before = id >= step ? part[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[id] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint sum = part[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* Inclusive within each group. */
__kernel void scan(__global uint* out, __global const uint* in) {
    __local uint part[GROUP];
    const uint i = get_global_id(0);
    out[i] = scan_group(in[i], part);
}

/* Radix sort, four bits a pass: count, scan of the counts by one group, scatter. */
__kernel void radix_count(__global const uint* keys, __global uint* counts, const uint shift) {
    __local uint digits[16];
    const uint id = get_local_id(0);
    if (id < 16)
        digits[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&digits[keys[get_global_id(0)] >> shift & 15u]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 16)
        counts[id * get_num_groups(0) + get_group_id(0)] = digits[id];
}

__kernel void radix_scan(__global uint* counts, const uint n) {
    __local uint part[GROUP];
    const uint id = get_local_id(0), each = (n + GROUP - 1) / GROUP, begin = id * each;
    uint sum = 0;
    for (uint i = begin; i < begin + each && i < n; ++i)
        sum += counts[i];
    uint before = scan_group(sum, part) - sum;
    for (uint i = begin; i < begin + each && i < n; ++i) {
        const uint count = counts[i];
        counts[i] = before;
        before += count;
    }
}

__kernel void radix_scatter(__global uint* out, __global const uint* keys, __global const uint* offsets,
                            const uint shift) {
    __local uint part[GROUP], sorted[GROUP], first[16];
    const uint id = get_local_id(0);
    uint key = keys[get_global_id(0)];
    for (uint bit = shift; bit < shift + 4; ++bit) { /* the group's keys by their digit, stable */
        const uint zero = (key >> bit & 1u) ^ 1u;
        const uint zeros = scan_group(zero, part);
        if (id == GROUP - 1)
            first[0] = zeros;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint all_zeros = first[0];
        sorted[zero ? zeros - 1 : all_zeros + id - zeros] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = sorted[id];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint digit = key >> shift & 15u;
    if (id == 0 || (sorted[id - 1] >> shift & 15u) != digit)
        first[digit] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[offsets[digit * get_num_groups(0) + get_group_id(0)] + id - first[digit]] = key;
}
