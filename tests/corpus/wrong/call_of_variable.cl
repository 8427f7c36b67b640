// error: 4:14: 'in' is a variable and cannot be called
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = in(i);
}
