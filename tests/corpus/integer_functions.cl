// Integer functions on scalars of several types.
// run: integers global=1
// arg: buf:i64:34
// arg: i32:-5
// expect out: 5 128 8 127 -128 255 0 -1 0 2 3 31 32 8 5 17 -12 7 2147483647 4 66 9 -8 -2 3 1 8 32 1 65538
// expect out: -65537 -6 8 4294967290
__kernel void integers(__global long* out, const int n) {
    out[0] = abs(n); out[1] = abs((char)-128); out[2] = abs_diff(n, 3);
    out[3] = add_sat((char)100, (char)100); out[4] = sub_sat((char)-100, (char)100);
    out[5] = add_sat((uchar)200, (uchar)100); out[6] = sub_sat(2u, 3u);
    out[7] = hadd(n, 4); out[8] = rhadd(n, 4); out[9] = hadd(1u, 4u); out[10] = rhadd(1u, 4u);
    out[11] = clz(1); out[12] = clz(0); out[13] = clz((uchar)0); out[14] = clz((ushort)0x07ff);
    out[15] = mad24(3, 4, 5); out[16] = mul24(n, 2) - 2; out[17] = mad_hi(1 << 30, 16, 3);
    out[18] = mad_sat(1 << 30, 4, 1); out[19] = mul_hi(1u << 31, 8u);
    out[20] = rotate((uchar)0x21, (uchar)1); out[21] = rotate(0x80000004u, 1u);
    out[22] = max(n, -8) - 3; out[23] = min(n, 3) + 3; out[24] = clamp(n, 3, 7);
    out[25] = popcount((char)-128); out[26] = popcount((uchar)255); out[27] = popcount(-1); out[28] = rotate(1, 32);
    out[29] = upsample((ushort)1, (ushort)2); out[30] = upsample((short)-2, (ushort)65535);
    out[31] = mul_hi(n, 2) * 6; out[32] = abs_diff((char)-4, (char)4); out[33] = upsample(0u, (uint)(n - 1));
}
