// error: 5:22: 'scael' is not declared (did you mean 'scale'?)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float scale = 2;
    out[i] = in[i] * scael;
}
