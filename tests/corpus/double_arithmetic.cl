// f64: arithmetic, literals, comparisons, vectors, conversions, functions.
// needs: f64
// run: wide global=1
// arg: buf:f64:14
// arg: f64:0.1
// expect out: 0.30000000000000004 0.1 1 16777217 3 3.5 1.4142135623730951 2 -1 0.5 5 1e300 0.25 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void wide(__global double* out, const double x) {
    out[0] = x + 0.2; out[1] = x; out[2] = x == 0.1; out[3] = 16777216.0 + 1.0f;
    const double2 v = (double2)(1.0, 2.0) + (double2)(2.0, 1.5);
    out[4] = v.x; out[5] = v.y; out[6] = sqrt(2.0); out[7] = convert_int_rte(x + 1.5) ; out[8] = ((long2)(v < 3.25 )).x;
    out[9] = fabs(-0.5); out[10] = length((double2)(3, 4)); out[11] = 1e300; out[12] = fma(0.5, 0.5, 0.0);
    out[13] = ldexp(1.0, 3);
}
