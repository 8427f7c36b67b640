// error: 3:49: macro 'SUM' takes 2 arguments, 1 given
#define SUM(a, b) ((a) + (b))
__kernel void k(__global float* out) { out[0] = SUM(1); }
