// error: 3:49: what '=' writes is constant: its type is 'const float'
__constant float table[2] = {1, 2};
__kernel void k(__global float* out) { table[0] = out[0]; }
