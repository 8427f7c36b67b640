// error: 4:15: '[' needs an array or a pointer, this is 'const int'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = i[in[i] > 0];
}
