// error: 5:16: a vector of 4 has no component 's4'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 v = vload4(i, in);
    out[i] = v.s4;
}
