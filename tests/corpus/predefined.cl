// Macros and constants that the language gives.
// run: predefined global=1
// arg: buf:i64:14
// arg: buf:f32:6
// expect out: 127 -128 255 32767 65535 2147483647 -2147483648 4294967295 9223372036854775807 8 120 1 1 110
// expect f ~1e-7: 3.14159265 2.71828183 1.41421356 1.1920929e-07 1 1
__kernel void predefined(__global long* out, __global float* f) {
    out[0] = CHAR_MAX; out[1] = CHAR_MIN; out[2] = UCHAR_MAX; out[3] = SHRT_MAX; out[4] = USHRT_MAX; out[5] = INT_MAX;
    out[6] = INT_MIN; out[7] = UINT_MAX; out[8] = LONG_MAX; out[9] = CHAR_BIT; out[10] = CL_VERSION_1_2;
    out[11] = __OPENCL_VERSION__ >= 120; out[12] = __ENDIAN_LITTLE__; out[13] = CL_VERSION_1_1;
    f[0] = M_PI_F; f[1] = M_E_F; f[2] = M_SQRT2_F; f[3] = FLT_EPSILON; f[4] = FLT_MAX == MAXFLOAT;
    f[5] = HUGE_VALF == INFINITY;
}
