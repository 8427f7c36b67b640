// error: 4:9: 'a' has an incomplete type
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    int a[];
    out[i] = a[0];
}
