// error: 3:49: the call of macro 'SUM' has no closing ')'
#define SUM(a, b) ((a) + (b))
__kernel void k(__global float* out) { out[0] = SUM(1, 2; }
