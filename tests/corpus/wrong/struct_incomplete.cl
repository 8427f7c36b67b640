// error: 4:18: 'p' has an incomplete type
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    struct point p;
}
