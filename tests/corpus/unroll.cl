// Hints for unrolling change nothing of the result.
// run: hints global=1
// arg: buf:i32:12
// arg: i32:3
// expect out: 0 1 4 9 0 2 4 6 0 3 6 0
__kernel void hints(__global int* out, const int n) {
#pragma unroll
    for (int k = 0; k < 4; k++) out[k] = k * k;
#pragma unroll 2
    for (int k = 0; k < 4; k++) out[4 + k] = 2 * k;
    __attribute__((opencl_unroll_hint(2))) for (int k = 0; k < n; k++) out[8 + k] = 3 * k;
}
