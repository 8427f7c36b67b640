struct a { struct a { int x; } y; };
kernel void k(struct a v){}
