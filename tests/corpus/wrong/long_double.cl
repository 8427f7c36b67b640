// error: 4:5: these words together make no type
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    long double x = in[i];
}
