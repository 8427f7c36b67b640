// error: 4:14: work-group functions are of OpenCL C 2; use local memory and barrier()
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = work_group_reduce_add(in[i]);
}
