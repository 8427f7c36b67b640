// error: 3:49: '->' needs a pointer, this is 'struct point'; use '.'
struct point { float x, y; };
__kernel void k(__global struct point* p) { p[0]->x = 1; }
