// The count of a shift is taken modulo the width; >> keeps the sign of signed numbers.
// run: shifts global=1
// arg: buf:i64:10
// arg: i32:35
// expect out: 8 -2 536870911 16 8 1 -1 34359738368 4 -8
__kernel void shifts(__global long* out, const int by) {
    out[0] = 1 << by; out[1] = -16 >> by; out[2] = 0xfffffff8u >> by;
    int x = 2; x <<= by; out[3] = x;
    out[4] = 64 >> by;
    out[5] = 1L << 64 + (by - 35);      // 64 modulo 64
    out[6] = -1L >> by; out[7] = 1L << by;
    uint y = 32; y >>= by; out[8] = y;
    out[9] = (long)(short)-64 >> by - 32;
}
