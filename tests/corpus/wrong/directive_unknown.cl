// error: 2:2: unknown directive #inlcude
#inlcude "a.h"
__kernel void k(__global float* out) { out[0] = 1; }
