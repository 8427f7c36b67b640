// error: 4:55: this is an address in global memory, and what it is given to points to local memory
// advice: Declare the pointer as __global.
float first(__local float* x) { return x[0]; }
__kernel void k(__global float* out) { out[1] = first(out); }
