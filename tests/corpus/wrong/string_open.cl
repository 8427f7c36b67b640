// error: 4:12: this string is not closed on its line
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    printf("value: %f, in[i]);
}
