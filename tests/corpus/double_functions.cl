// f64 functions, good to a few ulp.
// not on the stand-in: it does not know functions in PTX
// needs: f64
// run: functions global=1
// arg: buf:f64:10
// arg: f64:0.5
// expect out ~1e-14: 0.479425538604203 0.8775825618903728 1.6487212707001282 -0.6931471805599453 0.7071067811865476
// expect out ~1e-14: 0.4636476090008061 0.46211715726000973 0.5204998778130465 1.772453850905516 0.125
__kernel void functions(__global double* out, const double x) {
    out[0] = sin(x); out[1] = cos(x); out[2] = exp(x); out[3] = log(x); out[4] = pow(x, x); out[5] = atan(x);
    out[6] = tanh(x); out[7] = erf(x); out[8] = tgamma(x); out[9] = pown(x, 3);
}
