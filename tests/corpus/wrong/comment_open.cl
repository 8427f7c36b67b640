// error: 4:17: this comment is never closed
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = 1; /* the rest
}
