// error: 5:7: a component that is written can be named only once
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    float4 v = vload4(i, in);
    v.xx = v.xy;
    out[i] = v.x;
}
