// error: 3:1: 'point' is defined twice; the first time in line 2
struct point { float x; };
struct point { float y; };
__kernel void k(__global float* out) { out[0] = 1; }
