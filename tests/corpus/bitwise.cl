// Bits: and, or, xor, complement, and where they stand among the other operators.
// run: bits global=1
// arg: buf:u32:9
// arg: u32:12
// arg: u32:10
// expect out: 8 14 6 0xfffffff3 14 1 4294967285 0 13
__kernel void bits(__global uint* out, const uint a, const uint b) {
    out[0] = a & b; out[1] = a | b; out[2] = a ^ b; out[3] = ~a;
    out[4] = a & b | a ^ b;    // 8 | 6
    out[5] = a & 4 == 4;       // == first: a & 1 is 0 ...
    out[5] += 1;
    out[6] = ~b; out[7] = !a; out[8] = a | b >> 3;
}
