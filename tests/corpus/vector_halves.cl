// .lo, .hi, .even and .odd, nested, and of three components.
// run: halves global=1
// arg: buf:i32:16
// expect out: 0 1 2 3 4 5 6 7 0 2 4 6 5 7 2 0
__kernel void halves(__global int* out) {
    const int8 v = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    vstore4(v.lo, 0, out); vstore4(v.hi, 1, out); vstore4(v.even, 2, out);
    vstore2(v.odd.hi, 6, out);
    const int3 w = (int3)(0, 1, 2);
    out[14] = w.hi.x; out[15] = w.lo.x;
}
