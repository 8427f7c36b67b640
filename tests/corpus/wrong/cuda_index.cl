// error: 3:9: 'threadIdx' is CUDA's; write get_local_id(0)
__kernel void k(__global float* out) {
    out[threadIdx.x] = 1;
}
