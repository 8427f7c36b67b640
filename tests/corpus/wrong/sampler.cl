// error: 2:12: images and samplers are not supported; use a buffer
__constant sampler_t nearest = 0;
__kernel void k(__global float* out) { out[0] = 1; }
