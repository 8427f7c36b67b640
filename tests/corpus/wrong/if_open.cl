// error: 2:2: this conditional has no #endif
#ifdef FAST
__kernel void k(__global float* out) { out[0] = 1; }
