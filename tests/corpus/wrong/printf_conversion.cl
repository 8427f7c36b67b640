// error: 4:12: '%y' is no conversion that printf knows
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    printf("%y\n", in[i]);
}
