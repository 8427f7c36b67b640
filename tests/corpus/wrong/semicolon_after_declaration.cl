// error: 4:20: expected ';' or an operator after ']'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float x = in[i]
    out[i] = x;
}
