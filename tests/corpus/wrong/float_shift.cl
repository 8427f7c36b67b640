// error: 5:20: '<<' needs integers, this is 'const float'
// advice: Use ldexp, or convert first.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = in[i] << 2;
}
