// error: 2:26: unknown type name 'out'
__kernel void k(__global out) {
    out[0] = 1;
}
