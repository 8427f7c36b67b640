// error: 2:17: images and pipes are not supported; use a buffer
__kernel void k(__read_only image2d_t picture, __global float* out) {
    out[0] = 1;
}
