// native_ and half_ forms, whose accuracy is the device's matter: half_ is good to 8192 ulp.
// run: fast global=1
// arg: buf:f32:18
// arg: f32:2
// expect out ~2e-3: 0.909297427 -0.416146837 7.3890561 0.693147181 1.41421356 0.707106781 0.5 8 1.5 0.909297427
// expect out ~2e-3: 7.3890561 4 1 1.41421356 0.707106781 8 1.5 0.301029996
__kernel void fast(__global float* out, const float x) {
    out[0] = native_sin(x); out[1] = native_cos(x); out[2] = native_exp(x); out[3] = native_log(x);
    out[4] = native_sqrt(x); out[5] = native_rsqrt(x); out[6] = native_recip(x); out[7] = native_powr(x, 3.0f);
    out[8] = native_divide(3.0f, x); out[9] = half_sin(x); out[10] = half_exp(x); out[11] = half_exp2(x);
    out[12] = half_log2(x); out[13] = half_sqrt(x); out[14] = half_rsqrt(x); out[15] = half_powr(x, 3.0f);
    out[16] = half_divide(3.0f, x); out[17] = native_log10(x);
}
