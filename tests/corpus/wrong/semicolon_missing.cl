// error: 4:19: expected ';' or an operator after ']'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = in[i]
    out[i] += 1;
}
