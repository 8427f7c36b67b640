// error: 3:76: '+' needs numbers, this is 'struct point'
struct point { float x, y; };
__kernel void k(__global float* out) { struct point p = {1, 2}; out[0] = p + 1; }
