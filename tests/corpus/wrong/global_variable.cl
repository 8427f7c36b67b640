// error: 2:5: 'counter' must be __constant: programs have no variables outside functions
int counter = 0;
__kernel void k(__global int* out) { out[0] = counter++; }
