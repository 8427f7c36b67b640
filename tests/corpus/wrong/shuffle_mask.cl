// error: 4:43: the mask of 'shuffle' must be unsigned, this is 'int4'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 v = shuffle((float4)(1), (int4)(0));
    out[i] = v.x;
}
