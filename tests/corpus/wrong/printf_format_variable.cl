// error: 4:5: printf's format must be a string literal
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    printf(in);
}
