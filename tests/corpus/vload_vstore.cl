// vload and vstore of every width, not aligned, of small types, in local and private memory.
// run: moved global=1 local=1
// arg: buf:i32:24:iota
// arg: buf:i32:24
// arg: buf:u8:17:iota
// expect out: 1 2 5 6 7 0 10 11 12 13 9..16 60 4 5 1 4 11
// expect bytes: 0 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1
__kernel void moved(__global const int* in, __global int* out, __global uchar* bytes) {
    vstore2(vload2(0, in + 1), 0, out);
    vstore3(vload3(1, in + 2), 0, out + 2);
    out[5] = 0;
    vstore4(vload4(2, in + 2), 0, out + 6);
    vstore8(vload8(1, in + 1), 0, out + 10);
    const int16 wide = vload16(0, in + 3);
    out[18] = wide.s0 + wide.sf + wide.lo.s7 + wide.hi.s0 + 18;
    vstore8(vload8(0, bytes + 1).s76543210, 1, bytes + 1);
    __local int shared[4]; vstore4((int4)(3, 4, 5, 6), 0, shared);
    out[19] = shared[1]; out[20] = vload2(1, shared).x;
    int own[4]; vstore2((int2)(1, 4), 1, own); vstore2((int2)(0), 0, own);
    out[21] = vload4(0, own).z; out[22] = own[3];
    out[23] = vload2(5, in).y;
}
