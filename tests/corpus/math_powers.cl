// Powers, roots and logarithms.
// not on the stand-in: it does not know functions in PTX
// run: powers global=1
// arg: buf:f32:20
// arg: f32:2
// expect out ~5e-6: 8 8 8 4 1.41421356 0.707106781 1.25992105 5 7.3890561 4 100 6.3890561 0.693147181 1 0.301029996
// expect out ~5e-6: 1.09861229 1.41421356 0.25 1 0.5
__kernel void powers(__global float* out, const float x) {
    out[0] = pow(x, 3.0f); out[1] = pown(x, 3); out[2] = powr(x, 3.0f); out[3] = x * x;
    out[4] = sqrt(x); out[5] = rsqrt(x); out[6] = cbrt(x); out[7] = hypot(x + 1, x * x);
    out[8] = exp(x); out[9] = exp2(x); out[10] = exp10(x); out[11] = expm1(x);
    out[12] = log(x); out[13] = log2(x); out[14] = log10(x); out[15] = log1p(x);
    out[16] = rootn(x, 2); out[17] = pow(x, -2.0f); out[18] = pow(x, 0.0f); out[19] = half_recip(x);
}
