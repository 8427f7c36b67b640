// error: 5:27: a condition must be a scalar, this is 'const int4'
// advice: Use any() or all().
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const int4 v = 1; if (v) out[i] = 1;
}
