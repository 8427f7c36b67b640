// error: 6:20: 'const float4' does not become 'const int4' by itself
// advice: Use convert_ or as_ functions.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 a = 1;
    const int4 b = a;
    out[i] = b.x;
}
