// error: 4:10: an array cannot have -2 elements
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[-2];
    out[i] = a[0];
}
