// Operands below int become int; signed beside unsigned of the same size becomes unsigned.
// run: promotion global=1
// arg: buf:i32:9
// arg: i32:1
// expect out: 510 -1 1 0 1 1 -256 127 1
__kernel void promotion(__global int* out, const int one) {
    const uchar u = 255; const char c = -1; const ushort s = 1;
    out[0] = u + u * one;
    out[1] = s - 2 * one;
    out[2] = (c < s) ? 1 : 0;               // both int
    out[3] = (-1 * one < 1u) ? 1 : 0;       // -1 becomes 4294967295
    out[4] = (-1L * one < 1u) ? 1 : 0;      // long holds both
    out[5] = (c == -1) ? 1 : 0;
    out[6] = ~u;                            // int, not uchar
    out[7] = u >> one;
    out[8] = ((uchar)(u + one) == 0) ? 1 : 0;
}
