// error: 3:5: '__shared__' is CUDA's; write __local
__kernel void k(__global float* out) {
    __shared__ float tile[4];
    out[0] = tile[0];
}
