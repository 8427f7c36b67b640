// error: 4:14: sub-groups are not supported; use local memory and barriers
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = sub_group_reduce_add(in[i]);
}
