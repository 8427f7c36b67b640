// error: 2:14: variable numbers of arguments are not supported
int f(int n, ...) { return n; }
__kernel void k(__global int* out) { out[0] = f(1); }
