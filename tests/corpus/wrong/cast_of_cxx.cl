// error: 4:14: a conversion is written (float)x or convert_float(x)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = float(i);
}
