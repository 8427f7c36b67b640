kernel void k(global int* a){ local int b[1L<<40][1L<<40]; local int c[1L<<31][1L<<31]; a[0]=b[0][0]+c[0][0]; }
