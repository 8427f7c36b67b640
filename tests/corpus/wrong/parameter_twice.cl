// error: 2:40: 'x' is declared twice; the first time in line 2
__kernel void k(__global float* x, int x) {
    x[0] = 1;
}
