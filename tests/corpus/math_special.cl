// Error functions and gamma functions.
// run: special global=1
// arg: buf:f32:8
// arg: f32:0.5
// expect out ~3e-6: 0.520499878 0.479500122 1.77245385 0.572364943 24 3.17805383 -1 1.26551212
__kernel void special(__global float* out, const float x) {
    int sign;
    out[0] = erf(x); out[1] = erfc(x); out[2] = tgamma(x); out[3] = lgamma(x); out[4] = tgamma(x + 4.5f);
    out[5] = lgamma(x + 4.5f);
    const float l = lgamma_r(-x, &sign);
    out[6] = sign; out[7] = l;
}
