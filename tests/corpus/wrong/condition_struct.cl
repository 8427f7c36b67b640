// error: 3:49: a condition must be a scalar, this is 'struct point'
struct point { float x, y; };
__kernel void k(__global struct point* p) { if (p[0]) p[0].x = 1; }
