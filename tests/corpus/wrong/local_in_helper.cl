// error: 3:34: 't' cannot be __local outside a kernel
// advice: Declare it in the kernel and pass a pointer.
float f(float x) { __local float t[4]; t[0] = x; return t[1]; }
__kernel void k(__global float* out) { out[0] = f(1); }
