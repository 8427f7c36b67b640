// 64 bits: products, quotients, shifts, comparisons.
// run: wide global=1
// arg: buf:i64:8
// arg: i64:4294967296
// expect out: 8589934592 -4294967296 1 12884901888 4294967295 1 -1431655765 281474976710656
__kernel void wide(__global long* out, const long n) {
    out[0] = n * 2; out[1] = -n; out[2] = n >> 32; out[3] = n | n << 1; out[4] = n - 1;
    out[5] = n > 4294967295u; out[6] = -n / 3; out[7] = n * 65536;
}
