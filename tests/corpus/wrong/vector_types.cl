// error: 6:24: '+' joins 'const float4' and 'const int4'
// advice: Use convert_ or as_ functions.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 a = 1; const int4 b = 2;
    const float4 c = a + b;
    out[i] = c.x;
}
