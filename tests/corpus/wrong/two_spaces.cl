// error: 2:26: '__local': another kind of memory has been named before
__kernel void k(__global __local float* out) {
    out[0] = 1;
}
