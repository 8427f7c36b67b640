// error: 2:1: kernel 'k' cannot be static: the host could not find it
static __kernel void k(__global float* out) {
    out[0] = 1;
}
