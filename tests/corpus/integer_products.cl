// Integer functions of products that an int, or a long, does not hold.
// run: wide global=8 local=8
// arg: buf:u32:8:iota
// arg: u32:1
// arg: buf:u32:8
// arg: buf:u32:8
// arg: buf:u16:8
// arg: buf:i32:8
// arg: buf:i32:8
// arg: buf:u16:8
// expect odd: 0 0 0 0 0 0 0 0
// expect high: 4294967169 4294967168 2147483647 4194303 16383 127 0 2
// expect short_high: 65409 65408 0 0 0 0 2 2
// expect product: 126 252 -2 8388607 8388608 8388608 196605 -3
// expect sum: 125 126 -4 -2139095040 16777215 16777216 262140 0
// expect limited: 65535 65535 65535 65535 1 1 65535 65535
__constant uint values[8] = {0xffffffffu, 0xffffff82u, 0xfffffffeu, 0x80000001u, 0x7fffffu, 0x800000u, 0xffffu, 3u};
__kernel void wide(__global const uint* in, const uint one, __global uint* odd, __global uint* high,
                   __global ushort* short_high, __global int* product, __global int* sum, __global ushort* limited) {
    const size_t i = get_global_id(0);
    const uint a = values[in[i]], b = values[(in[i] + 1u) & 7u];
    odd[i] = 0u;
    if (mul_hi(mul_hi(a, b), one) & 1u) odd[i] = 1u; // nothing is, whatever mul_hi's result is taken for
    high[i] = mul_hi(a, b);
    short_high[i] = mul_hi((ushort)a, (ushort)b);
    product[i] = mul24((int)a << 8 >> 8, (int)b << 8 >> 8);
    sum[i] = mad24((int)a << 8 >> 8, (int)b << 8 >> 8, (int)a);
    limited[i] = mad_sat((ushort)a, (ushort)b, (ushort)1);
}
