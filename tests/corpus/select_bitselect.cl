// select: scalars by a condition, vectors by the highest bit; bitselect by each bit, of floats too.
// run: chosen global=1
// arg: buf:i64:18
// arg: i32:1
// expect out: 8 7 2 1 1 2 5 4 3 -6 172 3 2 1065353216 12 10 -2 3
__kernel void chosen(__global long* out, const int one) {
    out[0] = select(7, 8, one); out[1] = select(7, 8, one - 1);
    vstore4(convert_long4(select((int4)(1), (int4)(2), (int4)(-1, 0, 1, (int)0x80000000))), 0, out + 2);
    out[6] = (long)select(4.0f, 5.0f, one); out[7] = select(4ul, 5ul, 0ul);
    out[8] = select((char2)(3), (char2)(-6), (char2)(0, -1)).x;
    out[9] = select((char2)(3), (char2)(-6), (uchar2)(0, 128)).y;
    out[10] = bitselect(0xa0, 0x0c, 0x0f);
    vstore2(convert_long2(bitselect((int2)(1, 2), (int2)(2, 1), (int2)(2, 0))), 0, out + 11);
    out[13] = as_int(bitselect(1.0f, -1.0f, as_float(0x7fffffff)));
    vstore2(convert_long2(select((float2)(10, 10), (float2)(12, 12), (int2)(-1, 0))), 7, out);
    out[16] = bitselect(-1L, 0L, 1L); out[17] = bitselect((uchar)255, (uchar)3, (uchar)252);
}
