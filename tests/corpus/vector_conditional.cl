// ?: of vectors chooses by the highest bit of each component; a scalar condition chooses whole vectors.
// run: choose global=1
// arg: buf:i32:16
// arg: i32:1
// expect out: 1 3 4 1 9 9 3 4 -1 -2 3 4 4 4 4 4
__kernel void choose(__global int* out, const int one) {
    const int4 mask = (int4)(-1, 0, 1, (int)0x80000000);
    vstore4(mask ? (int4)(1) : (int4)(2, 3, 4, 5), 0, out);
    const int4 a = (int4)(1, 2, 3, 4);
    vstore4(a < 3 ? (int4)(9) : a, 1, out);
    const float4 f = (float4)(1, 2, 3, 4);
    vstore4(convert_int4(f > 2.5f ? f : -f), 2, out);
    vstore4(one > 0 ? (int4)(4) : (int4)(5), 3, out);
}
