// error: 3:49: function 'twice' takes 1 argument, 2 given
float twice(float x) { return 2 * x; }
__kernel void k(__global float* out) { out[0] = twice(1, 2); }
