// error: 3:45: parameter 'n' of kernel 'k' is a size_t or ptrdiff_t
// advice: Its size differs between devices: use ulong, long, uint or int.
__kernel void k(__global float* out, size_t n) {
    out[0] = n;
}
