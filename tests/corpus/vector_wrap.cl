// Vectors of small types are not promoted: they wrap, where scalars become int.
// run: wrap global=1
// arg: buf:i32:12
// arg: i32:10
// expect out: 4 11 12 13 260 -126 -127 -128 127 65534 0 1
__kernel void wrap(__global int* out, const int ten) {
    const uchar4 a = (uchar4)(250, 1, 2, 3) + (uchar)ten;
    vstore4(convert_int4(a), 0, out);
    out[4] = (uchar)250 + (uchar)ten;
    const char4 b = (char4)(120, 119, 118, 117) + (char)ten;
    vstore4(convert_int4(b), 0, out + 5);
    out[5] += 0;
    const ushort2 c = (ushort2)(65535) * (ushort2)(2, 0);
    out[9] = c.x; out[10] = c.y; out[11] = ten / 10;
}
