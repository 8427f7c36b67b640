// error: 5:16: a vector of 2 has no component 'z'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float2 v = vload2(i, in);
    out[i] = v.z;
}
