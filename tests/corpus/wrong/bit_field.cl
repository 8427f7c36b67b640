// error: 2:22: bit-fields are not part of OpenCL C; use shifts and masks
struct flags { int a : 3; };
__kernel void k(__global int* out) { out[0] = 1; }
