// Integer functions by component.
// run: vectors global=1
// arg: buf:i32:24
// expect out: 1 2 3 4 31 30 30 29 0 5 9 9 255 255 0 13 2 4 8 1 1 2 2 3
__kernel void vectors(__global int* out) {
    const int4 v = (int4)(1, 2, 3, 4);
    vstore4(convert_int4(abs(-v)), 0, out);
    vstore4(clz(v), 1, out);
    vstore4(clamp((int4)(-3, 5, 9, 12), 0, 9), 2, out);
    vstore4(convert_int4(add_sat((uchar4)(250, 255, 0, 5), (uchar4)(9, 1, 0, 8))), 3, out);
    vstore4(rotate((int4)(1, 2, 4, (int)0x80000000), (int4)(1)), 4, out);
    vstore4(hadd(v, (int4)(1, 2, 2, 3)), 5, out);
}
