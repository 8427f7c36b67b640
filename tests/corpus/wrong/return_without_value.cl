// error: 2:31: 'return' needs a value: 'f' returns 'float'
float f(float x) { if (x > 0) return; return x; }
__kernel void k(__global float* out) { out[0] = f(1); }
