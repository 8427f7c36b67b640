// Each type of component in vectors of each width: the sum over n * (1 + 2 + ... + width) in that type.
// run: types global=1
// arg: buf:f32:45
// arg: i32:1
// expect out: 3 6 10 36 136 3 6 10 36 136 3 6 10 36 136 3 6 10 36 136 3 6 10 36 136 3 6 10 36 136 3 6 10 36 136
// expect out: 3 6 10 36 136 3 6 10 36 136
#define SUM2(v) ((v).x + (v).y)
#define SUM4(v) (SUM2((v).lo) + SUM2((v).hi))
#define SUM8(v) (SUM4((v).lo) + SUM4((v).hi))
#define SUM16(v) (SUM8((v).lo) + SUM8((v).hi))
#define TRY(T, at)                                                                                  \
    {                                                                                               \
        const T n = (T)one;                                                                         \
        const T##16 w = n * (T##16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);         \
        const T##2 a = w.s01; const T##3 b = w.s012; const T##4 c = w.s0123; const T##8 d = w.lo;   \
        out[at] = SUM2(a); out[at + 1] = b.x + b.y + b.z; out[at + 2] = SUM4(c);                    \
        out[at + 3] = SUM8(d); out[at + 4] = (uchar)SUM16(w);                                       \
    }
__kernel void types(__global float* out, const int one) {
    TRY(char, 0) TRY(uchar, 5) TRY(short, 10) TRY(ushort, 15) TRY(int, 20)
    TRY(uint, 25) TRY(long, 30) TRY(ulong, 35) TRY(float, 40)
}
