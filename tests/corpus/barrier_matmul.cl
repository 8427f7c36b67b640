// Matrices multiplied by tiles: 4x4 by 4x4, a = row * 4 + column, b = 2 on the diagonal and 1 elsewhere.
// run: multiply global=4x4 local=2x2
// arg: buf:f32:16:iota
// arg: buf:f32:16
// expect c: 6 7 8 9 26 27 28 29 46 47 48 49 66 67 68 69
__kernel void multiply(__global const float* a, __global float* c) {
    __local float left[2][2], right[2][2];
    const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int tile = 0; tile < 4; tile += 2) {
        left[y][x] = a[row * 4 + tile + x];
        right[y][x] = tile + y == column ? 2.0f : 1.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 2; k++) sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * 4 + column] = sum;   // the row's sum and the element itself
}
