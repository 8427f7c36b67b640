// error: 2:36: a parameter is missing after ','
__kernel void k(__global float* out, ) {
    out[0] = 1;
}
