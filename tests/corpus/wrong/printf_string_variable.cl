// error: 4:20: what %s prints must be a string literal
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    printf("%s\n", in);
}
