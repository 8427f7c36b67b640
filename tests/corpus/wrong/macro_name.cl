// error: 2:9: #define needs the name of a macro
#define 2D 1
__kernel void k(__global float* out) { out[0] = 1; }
