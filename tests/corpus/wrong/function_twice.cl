// error: 3:7: function 'twice' is defined twice; the first time in line 2
float twice(float x) { return 2 * x; }
float twice(float x) { return x + x; }
__kernel void k(__global float* out) { out[0] = twice(1); }
