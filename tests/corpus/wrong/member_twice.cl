// error: 2:29: member 'x' is declared twice
struct point { float x; int x; };
__kernel void k(__global float* out) { out[0] = 1; }
