// error: 2:2: files include one another more than 64 deep
#include "include_itself.cl"
__kernel void k(__global float* out) { out[0] = 1; }
