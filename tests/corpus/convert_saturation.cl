// Conversions that saturate, between integers and from floats; NaN becomes 0.
// run: saturated global=1
// arg: buf:i64:16
// arg: f32:300.7
// expect out: 255 127 -128 0 2147483647 -2147483648 0 65535 -32768 4294967295 255 127 0 44 9223372036854775807 301
__kernel void saturated(__global long* out, const float x) {
    out[0] = convert_uchar_sat(x); out[1] = convert_char_sat(x); out[2] = convert_char_sat(-x);
    out[3] = convert_uchar_sat(-x);
    out[4] = convert_int_sat(1e10f * x); out[5] = convert_int_sat(-1e10f * x); out[6] = convert_int_sat(NAN);
    out[7] = convert_ushort_sat(70000); out[8] = convert_short_sat(-70000); out[9] = convert_uint_sat(1L << 40);
    out[10] = convert_uchar4_sat((int4)(1, 2, 3, 999)).w; out[11] = convert_char_sat(200u);
    out[12] = convert_uint_sat(-3);
    out[13] = convert_uchar(300); out[14] = convert_long_sat(1e30f); out[15] = convert_short_sat_rte(x);
}
