// error: 6:15: '[' needs an array or a pointer, this is 'const float4'
// advice: Components of a vector are .s0, .s1, ...
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 v = vload4(i, in);
    out[i] = v[1];
}
