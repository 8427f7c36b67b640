// error: 4:17: 'idx' is not declared
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = in[idx] + i;
    const int index = 0;
}
