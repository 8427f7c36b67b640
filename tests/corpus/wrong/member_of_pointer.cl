// error: 3:46: '.' cannot follow a pointer; use '->'
struct point { float x, y; };
__kernel void k(__global struct point* p) { p.x = 1; }
