// error: 5:7: an array cannot be assigned; copy its elements
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[2] = {1, 2}, b[2];
    b = a;
    out[i] = b[0];
}
