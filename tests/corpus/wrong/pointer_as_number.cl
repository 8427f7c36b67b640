// error: 5:14: 'const float*' does not become 'float' by itself
// advice: Name an element, as in p[0].
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    out[i] = in;
}
