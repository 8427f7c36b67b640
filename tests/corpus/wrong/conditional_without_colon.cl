// error: 4:20: '?' has no ':'
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = i > 3 ? 1.0f;
}
