// error: 2:9: '##' cannot be at either end of a macro
#define BAD(a) ## a
__kernel void k(__global float* out) { out[0] = BAD(1); }
