// error: 2:13: references are of C++, kernels are OpenCL C; use a pointer
void set(int& x) { x = 1; }
__kernel void k(__global int* out) { int a; set(a); out[0] = a; }
