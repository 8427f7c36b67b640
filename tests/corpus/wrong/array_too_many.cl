// error: 4:23: too many values for an array of 2
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[2] = {1, 2, 3};
    out[i] = a[0];
}
