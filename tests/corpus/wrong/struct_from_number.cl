// error: 3:69: 'int' does not become 'struct point' by itself
struct point { float x, y; };
__kernel void k(__global float* out) { struct point p = {1, 2}; p = 3; out[0] = p.x; }
