int f(int);
constant int x = f(1);
kernel void k(global int* a){}
