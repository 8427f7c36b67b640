// vstore_half of doubles, scalars and vectors.
// needs: f64
// run: store global=1
// arg: buf:u16:16
// arg: f64:1.5
// expect out: 15872 16896 14336 48640 31743 13312 0 15872 16896 17536 17920 18304 18560 18752 18944 16896
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void store(__global half* out, const double x) {
    vstore_half(x, 0, out);
    vstore_half_rtz(2 * x, 1, out);
    vstore_half4((double4)(0.5, -x, 65504.0, 0.25), 0, out + 2);
    vstore_half(0.0, 6, out);
    vstore_half8_rte((double8)(1, 2, 3, 4, 5, 6, 7, 8) * x, 0, out + 7);
    vstore_half(3.0f, 15, out);
}
