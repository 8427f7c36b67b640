// error: 2:18: constant 'pi' needs a value
__constant float pi;
__kernel void k(__global float* out) { out[0] = pi; }
