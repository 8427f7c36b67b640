// error: 2:7: #if: an operand is missing at the end
#if 1 +
#endif
__kernel void k(__global float* out) { out[0] = 1; }
