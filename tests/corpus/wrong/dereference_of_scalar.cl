// error: 4:14: '*' needs a pointer, this is 'const int'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = *i;
}
