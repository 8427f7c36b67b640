// error: 3:24: parameter 'out' of kernel 'k' points to private memory
// advice: Make it __global, __constant or __local.
__kernel void k(float* out) {
    out[0] = 1;
}
