// shuffle and shuffle2: the lowest bits of the mask count.
// run: shuffled global=1
// arg: buf:i32:24
// expect out: 40 30 20 10 10 10 20 40 10 50 80 20 1 3 40 40 30 30 20 20 10 10 50 10
__kernel void shuffled(__global int* out) {
    const int4 a = (int4)(10, 20, 30, 40), b = (int4)(50, 60, 70, 80);
    vstore4(shuffle(a, (uint4)(3, 2, 1, 0)), 0, out);
    vstore4(shuffle(a, (uint4)(0, 4, 5, 7)), 1, out);
    vstore4(shuffle2(a, b, (uint4)(0, 4, 7, 1)), 2, out);
    const float2 f = shuffle((float8)(0, 1, 2, 3, 4, 5, 6, 7), (uint2)(1, 3));
    out[12] = f.x; out[13] = f.y;
    vstore8(shuffle(a, (uint8)(3, 3, 2, 2, 1, 1, 0, 0)), 0, out + 14);
    const uchar2 c = shuffle2((uchar2)(10, 20), (uchar2)(50, 60), (uchar2)(2, 4));
    out[22] = c.x; out[23] = c.y;
}
