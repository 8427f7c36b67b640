// Conversions to integers in each rounding; without a word towards zero.
// run: rounded global=1
// arg: buf:i32:16
// arg: f32:2.5
// expect out: 2 2 3 2 2 -2 -2 -2 -3 -2 4 -4 3 2 -3 -2
__kernel void rounded(__global int* out, const float x) {
    out[0] = convert_int(x); out[1] = convert_int_rte(x); out[2] = convert_int_rtp(x); out[3] = convert_int_rtn(x);
    out[4] = convert_int_rtz(x);
    out[5] = convert_int(-x); out[6] = convert_int_rte(-x); out[7] = convert_int_rtp(-x); out[8] = convert_int_rtn(-x);
    out[9] = convert_int_rtz(-x);
    out[10] = convert_int_rte(x + 1); out[11] = convert_char_rte(-x - 1);
    const int4 v = (int4)(convert_short2_rtp((float2)(x, 1.5f)).x, (int)x,
                          convert_int2_rtn((float2)(-x, 0)).x, (int)-x);
    vstore4(v, 3, out);
}
