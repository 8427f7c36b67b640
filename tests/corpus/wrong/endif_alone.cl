// error: 3:2: #endif without #if
__kernel void k(__global float* out) { out[0] = 1; }
#endif
