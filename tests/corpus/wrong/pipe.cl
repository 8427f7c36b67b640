// error: 2:17: images and pipes are not supported; use a buffer
__kernel void k(__read_only pipe int numbers, __global float* out) {
    out[0] = 1;
}
