// error: 4:14: 'float' is a type and has no value
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = float;
}
