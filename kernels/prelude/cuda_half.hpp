// f16 as bits to float and back, by the processor's conversions. ROUNDING as for conversions, never 0.
DEVQ_FN float devq_widen(ushort h) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}
template <int ROUNDING>
DEVQ_FN ushort devq_narrow(float x) {
    ushort h;
    if constexpr (ROUNDING == 1)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else if constexpr (ROUNDING == 2)
        asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else if constexpr (ROUNDING == 3)
        asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else
        asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
template <int N>
DEVQ_FN vec<float, N> devq_widen(vec<ushort, N> h) {
    vec<float, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = devq_widen(h.v[i]);
    return r;
}
template <int ROUNDING, int N>
DEVQ_FN vec<ushort, N> devq_narrow(vec<float, N> x) {
    vec<ushort, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = devq_narrow<ROUNDING>(x.v[i]);
    return r;
}
