// Undefined in OpenCL, but defined for cpu and cuda: x / 0 is x, x % 0 is 0, least / -1 is least.
// only: cpu cuda: on OpenCL devices division by zero is the driver's matter, and some end the process
// run: zero global=1
// arg: buf:i32:8
// arg: i32:0
// expect out: 7 0 -7 -2147483648 0 9 0 4
__kernel void zero(__global int* out, const int n) {
    out[0] = 7 / n; out[1] = 7 % n; out[2] = -7 / n;
    const int least = (int)0x80000000;
    out[3] = least / (n - 1); out[4] = least % (n - 1);
    uint u = 9; u /= (uint)n; out[5] = u;
    u %= (uint)n; out[6] = u;
    const int4 v = (int4)(1, 2, 3, 4) / (int4)(n); out[7] = v.w;
}
