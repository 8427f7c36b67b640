// error: 4:30: 'float4' takes 4 components, or one for all; these are 3
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 v = (float4)(1, 2, 3);
    out[i] = v.x;
}
