// Operators of vectors work by component, with scalars too; ++, --, and assignments.
// run: arithmetic global=1
// arg: buf:i32:36
// expect out: 10 -4 1 9 3 -3 -2 0 1 -1 2 0 -7 7 -8 0 -8 6 -9 -1 28 -28 32 0 1 -2 2 0 8 -6 9 1 6 2 8 5
__kernel void arithmetic(__global int* out) {
    const int4 a = (int4)(7, -7, 8, 0), b = (int4)(2, 2, -3, 5);
    vstore4(a + b * 2 - 1, 0, out);
    vstore4(a / b, 1, out);
    vstore4(a % b, 2, out);
    vstore4(-a, 3, out);
    vstore4(~a, 4, out);
    vstore4(a << 2, 5, out);
    vstore4(a >> 2, 6, out);
    int4 c = a;
    ++c;
    vstore4(c, 7, out);
    c = a; c--;
    c &= (int4)(14, 2, 8, 5); // 6 & 14, -8 & 2, 7 & 8, -1 & 5
    vstore4(c + (int4)(0, 2, 8, 0), 8, out);
}
