// error: 6:24: '+' joins 'const float4' and 'const float2'
// advice: Choose as many components.
__kernel void k(__global float* out, __global const float* in) {
    const int i = get_global_id(0);
    const float4 a = 1; const float2 b = 2;
    const float4 c = a + b;
    out[i] = c.x;
}
