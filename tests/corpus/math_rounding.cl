// Functions with exact results: rounding, absolute values, remainders, signs, extremes.
// not on the stand-in: it does not know add.rz
// run: exact global=1
// arg: buf:f32:32
// arg: f32:2.5
// expect out: 3 2 2 3 2 2.5 -3 -2 -2 -3 -2 -2.5 0.5 0.5 -0.5 1 -2.5 2 2.5 2.5 0 0.5 1 -2.5 4 3 nan 1 3 -3 2 1
__kernel void exact(__global float* out, const float x) {
    out[0] = ceil(x); out[1] = floor(x); out[2] = trunc(x); out[3] = round(x); out[4] = rint(x); out[5] = fabs(x);
    out[6] = floor(-x); out[7] = ceil(-x); out[8] = trunc(-x); out[9] = round(-x); out[10] = rint(-x);
    out[11] = -fabs(-x);
    out[12] = fmod(x, 2.0f); out[13] = remainder(x, 2.0f); out[14] = fmod(-x, 2.0f);
    out[15] = remainder(x + 0.5f, 2.0f) + 2;
    out[16] = copysign(x, -0.0f); out[17] = fmin(x, 2.0f); out[18] = fmax(x, 2.0f); out[19] = fmax(NAN, x);
    out[20] = fdim(1.0f, x); out[21] = fdim(x, 2.0f); out[22] = nextafter(1.0f, 0.0f) < 1.0f;
    out[23] = maxmag(-x, 2.0f);
    out[24] = ldexp(x - 0.5f, 1); out[25] = minmag(3.0f, -4.0f); out[26] = fmod(x, 0.0f);
    out[27] = logb(x); out[28] = ilogb(x * 4); out[29] = minmag(-3.0f, 4.0f); out[30] = fmin(2.0f, NAN);
    out[31] = nan(1u) != nan(1u);
}
