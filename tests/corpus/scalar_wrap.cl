// Unsigned numbers wrap, small signed ones are cut when stored.
// run: wrap global=1
// arg: buf:i64:10
// arg: i32:1
// expect out: 0 255 -128 65535 -32768 0 4294967295 -1 18 4294967286
__kernel void wrap(__global long* out, const int one) {
    uchar a = 255; a += one; out[0] = a;
    uchar b = 0; b -= one; out[1] = b;
    char c = 127; c += one; out[2] = c;
    ushort d = 0; d -= one; out[3] = d;
    short e = 32767; e += one; out[4] = e;
    uint f = 0xffffffffu; f += one; out[5] = f;
    uint g = 0; g -= one; out[6] = g;
    ulong h = 0; h -= one; out[7] = (long)h;
    uchar i = 200, j = 74; i = i + j; out[8] = i;
    uint k = 5; out[9] = k - 15u * one;
}
