// as_TYPE keeps the bits: scalars, vectors, vectors as scalars and the other way round.
// run: bits global=1
// arg: buf:i64:12
// arg: f32:1
// expect out: 0x3f800000 -1073741824 4 3 2 1 0x04030201 255 -1 4607182418800017408 1 0
__kernel void bits(__global long* out, const float x) {
    out[0] = as_int(x); out[1] = as_int(-2.0f * x);
    const uchar4 b = as_uchar4(0x01020304u);
    out[2] = b.x; out[3] = b.y; out[4] = b.z; out[5] = b.w;
    out[6] = as_int((char4)(1, 2, 3, 4)); out[7] = as_uchar((char)-1);
    out[10] = as_uint(x > 0.5f); out[11] = as_int(x != x);   // a comparison is an int
    out[8] = as_int2((long)-1).y; out[9] = as_long((int2)(0, 0x3ff00000));
}
