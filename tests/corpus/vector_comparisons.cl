// Comparisons and logic of vectors give -1 or 0 in each component, in integers of the components' size.
// run: comparisons global=1
// arg: buf:i64:28
// expect out: -1 0 -1 0 0 -1 0 -1 -1 0 0 0 0 -1 0 -1 -1 -1 0 0 -1 -1 -1 0 1 2 8 -1
__kernel void comparisons(__global long* out) {
    const int4 a = (int4)(7, -7, 8, 0), b = (int4)(2, 2, -3, 5);
    vstore4(convert_long4(a > b), 0, out);
    vstore4(convert_long4(a <= b), 1, out);
    vstore4(convert_long4(a == (int4)(7, 0, 0, 1)), 2, out);
    vstore4(convert_long4((a > 0) == 0), 3, out);
    const float4 f = (float4)(1.5f, -0.0f, NAN, 2.0f);
    vstore4(convert_long4(f < (float4)(2.0f, 1.0f, 3.0f, 2.0f)), 4, out);
    vstore4(convert_long4((a != 0) || (b < 0) ), 5, out);
    out[24] = sizeof((char2)(1) < (char2)(2)) / 2; out[25] = sizeof((short4)(1) == (short4)(2)) / 4;
    out[26] = sizeof((long3)(0) != (long3)(1)) / 4;
    out[27] = (!(int2)(0, 5)).x && 1 ? (!(int2)(0, 5)).x : 0;
}
