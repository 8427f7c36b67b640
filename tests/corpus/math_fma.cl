// fma rounds once; mad may or may not.
// run: fused global=1
// arg: buf:f32:7
// arg: f32:1
// expect out: 5.96046448e-08 0 7 3 7 13 21
__kernel void fused(__global float* out, const float one) {
    const float x = one + 0x1p-12f;
    out[0] = fma(x, x, -(1.0f + 0x1p-11f));      // 2^-24, which x * x has lost
    out[1] = fma(one, 0.0f, 0.0f); out[2] = mad(2.0f, 3.0f, one);
    const float4 v = fma((float4)(1, 2, 3, 4), (float4)(1, 2, 3, 4) + one, (float4)(1));
    vstore4(v, 0, out + 3);
}
