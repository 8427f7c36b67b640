// Vectors from scalars, from one scalar, and from smaller vectors in any order.
// run: literals global=1
// arg: buf:i32:40
// expect out: 1 2 3 4 7 7 7 7 5 6 9 0 1..8 1 2 3 4 5 6 0 0 3*8 2 5 6 1
__kernel void literals(__global int* out) {
    vstore4((int4)(1, 2, 3, 4), 0, out);
    vstore4((int4)(7), 1, out);
    const int2 a = (int2)(5, 6);
    vstore3((int3)(a, 9), 0, out + 8);
    out[11] = 0;
    vstore8((int8)((int4)(1, 2, 3, 4), a, 7, 8), 0, out + 12);
    const int16 wide = (int16)((int8)(1, 2, 3, 4, 5, 6, 0, 0), (int8)(3));
    vstore16(wide, 0, out + 20);
    vstore4((int4)(2, a, 1), 9, out);
}
