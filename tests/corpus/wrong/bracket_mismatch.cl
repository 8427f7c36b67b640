// error: 4:10: ')' does not fit the '[' of line 4
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i) = 1;
}
