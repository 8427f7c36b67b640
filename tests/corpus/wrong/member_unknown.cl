// error: 3:50: 'struct point' has no member 'z'
struct point { float x, y; };
__kernel void k(__global struct point* p) { p[0].z = 1; }
