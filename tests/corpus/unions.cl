// Unions: the same bytes as another type.
// run: unions global=1
// arg: buf:u32:6
// expect out: 0x3f800000 4 0x04030201 2 0xc0000000 8
union number { float f; uint u; uchar bytes[4]; };
typedef union { struct { uint low, high; } part; ulong whole; } Wide;
__kernel void unions(__global uint* out) {
    union number n;
    n.f = 1.0f; out[0] = n.u; out[1] = sizeof(union number);
    n.u = 0x04030201u; out[2] = n.u; out[3] = n.bytes[1];
    n.f = -2.0f; out[4] = n.u;
    Wide w; w.whole = 0x0000000300000005ul;
    out[5] = w.part.low + w.part.high;
}
