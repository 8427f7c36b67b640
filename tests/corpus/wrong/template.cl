// error: 2:1: templates are of C++, kernels are OpenCL C; use macros or __attribute__((overloadable))
template <class T> T twice(T x) { return x + x; }
__kernel void k(__global int* out) { out[0] = twice(1); }
