// error: 2:17: images and samplers are not supported; use a buffer
__kernel void k(image2d_t picture, __global float* out) {
    out[0] = 1;
}
