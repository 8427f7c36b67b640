// Circular and hyperbolic functions and their inverses, and the forms in units of pi.
// not on the stand-in: it does not know add.rz
// run: angles global=1
// arg: buf:f32:20
// arg: f32:0.5
// expect out ~2e-6: 0.479425539 0.877582562 0.546302490 0.523598776 1.04719755 0.463647609 0.463647609
// expect out ~2e-6: 0.521095305 1.12762597 0.462117157 0.481211825 0.962423650 0.549306144
// expect out ~2e-6: 1 0 1 0.166666667 0.333333333 0.147583618 0.147583618
__kernel void angles(__global float* out, const float x) {
    out[0] = sin(x); out[1] = cos(x); out[2] = tan(x); out[3] = asin(x); out[4] = acos(x); out[5] = atan(x);
    out[6] = atan2(x, 1.0f);
    out[7] = sinh(x); out[8] = cosh(x); out[9] = tanh(x); out[10] = asinh(x); out[11] = acosh(x + 1);
    out[12] = atanh(x);
    out[13] = sinpi(x); out[14] = cospi(x); out[15] = tanpi(x / 2);
    out[16] = asinpi(x); out[17] = acospi(x); out[18] = atanpi(x); out[19] = atan2pi(x, 1.0f);
}
