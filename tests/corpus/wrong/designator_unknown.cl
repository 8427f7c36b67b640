// error: 3:59: 'struct point' has no member 'z'
struct point { float x, y; };
__kernel void k(__global float* out) { struct point p = {.z = 1}; out[0] = p.x; }
