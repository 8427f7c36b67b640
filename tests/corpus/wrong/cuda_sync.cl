// error: 4:5: '__syncthreads' is CUDA's; write barrier(CLK_LOCAL_MEM_FENCE)
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    __syncthreads();
}
