// Components by number: s0 to sf, capital letters too.
// run: numbers global=1
// arg: buf:i32:16
// arg: i32:0
// expect out: 0 9 10 15 15 10 1 5 14 13 12 11 3 3 7 10
__kernel void numbers(__global int* out, const int zero) {
    const int16 v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + zero;
    out[0] = v.s0; out[1] = v.s9; out[2] = v.sa; out[3] = v.sF;
    vstore4(v.sfA15, 1, out);
    vstore4(v.Sedcb.xyzw, 2, out);
    const int8 w = v.s33445566;
    out[12] = w.s0; out[13] = w.s1; out[14] = v.s76543210.s0; out[15] = v.s89ab.s2;
}
