// error: 2:9: #if: division by zero
#if 1 / 0
#endif
__kernel void k(__global float* out) { out[0] = 1; }
