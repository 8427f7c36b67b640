// error: 2:14: kernel 'k' must return void
__kernel int k(__global float* out) {
    out[0] = 1;
    return 0;
}
