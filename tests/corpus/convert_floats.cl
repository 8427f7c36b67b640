// Conversions to float: in each rounding, from large integers, and implicit ones.
// run: floats global=1
// arg: buf:f32:12
// arg: i32:16777217
// expect out: 16777216 16777216 16777218 16777216 16777216 -16777218 16777218 9.22337204e18 1.84467441e19 3 -1 0.5
__kernel void floats(__global float* out, const int n) {
    out[0] = convert_float(n); out[1] = convert_float_rte(n); out[2] = convert_float_rtp(n);
    out[3] = convert_float_rtz(n);
    out[4] = (float)n; out[5] = convert_float_rtn(-n); out[6] = convert_float_rtp((long)n);
    out[7] = convert_float(0x7fffffffffffffffL); out[8] = convert_float(0xfffffffffffffffful);
    out[9] = 3; const char c = -1; out[10] = c;
    const float4 v = convert_float4((uchar4)(1, 2, 3, 4)); out[11] = v.x / v.y;
}
