// Comparisons and logical operators are of type int, wherever the type shows.
// run: truths global=1
// arg: buf:i32:20
// expect out: 4 4 4 4 4 4 16 1 1 1 1 3 1 7 6 -1 4 8 4 2
__kernel void truths(__global int* out) {
    const int a = 3;
    const float f = 2.0f;
    const uchar c = 3;
    const int4 v = (int4)(1, 2, 3, 4);
    int sized[sizeof(1.0f == 2.0f)];
    out[0] = sizeof(1 == 1); out[1] = sizeof(a < 3 ? a == 1 : a != 2); out[2] = sizeof !a;
    out[3] = sizeof((a < 4) && f > 1);
    out[4] = sizeof(c == c); out[5] = sizeof(sized) / sizeof(sized[0]); out[6] = sizeof(v == v);
    out[7] = sizeof((char)(a == 3)); out[8] = max(a == 3, 0); out[9] = as_int(a == 3); out[10] = abs(!(a == 1));
    out[11] = clamp(a != 3, 3, 4); out[12] = min(a == 3, 7); out[13] = mad24(a == 3, 3, 4);
    out[14] = select(5, 6, a == 1 ? 0 : 1); out[15] = ~(a != 3); out[16] = (a == 3) << 2;
    out[17] = upsample((short)0, (ushort)(a == 3)) * 8;
    out[18] = sizeof((char)1 == (char)2); out[19] = rotate(a == 3, 1);
}
