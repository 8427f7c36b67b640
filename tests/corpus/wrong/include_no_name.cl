// error: 2:2: #include needs "FILE" or <FILE>
#include no_quotes
__kernel void k(__global float* out) { out[0] = 1; }
