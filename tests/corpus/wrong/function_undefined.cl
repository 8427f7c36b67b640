// error: 3:49: function 'twice' is declared but has no body
float twice(float x);
__kernel void k(__global float* out) { out[0] = twice(1); }
