// f16 as bits to float and back: exact, denormals, infinities and NaN (made quiet, payload kept) as the hardware does
// it. The processor's own conversion from F16C on; arithmetic on integers below. U: uint or a compiler vector of uint,
// so that whole vectors are converted without a branch.
template <class U>
struct devq_float_for {
    typedef float type __attribute__((vector_size(sizeof(U))));
};
template <>
struct devq_float_for<uint> {
    typedef float type;
};
template <class U>
DEVQ_FN auto devq_widen_bits(U h) {
    typedef typename devq_float_for<U>::type F;
    const U magnitude = (h & 0x7fffu) << 13;
    // Read as a float it is 2^112 too small, denormals included; infinity and NaN then need the highest exponent.
    const U scaled = devq_bits<U>(devq_bits<F>(magnitude) * 0x1p112f), none{}, quiet = U{} + 0x00400000u;
    const U special = magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? quiet : none);
    return devq_bits<F>((magnitude >= 0x0f800000u ? special : scaled) | (h & 0x8000u) << 16);
}
// ROUNDING as for conversions, never 0.
template <int ROUNDING, class U>
DEVQ_FN U devq_narrow_bits(U bits) {
    typedef typename devq_float_for<U>::type F;
    const U none{}, one = U{} + 1u, sign = bits >> 31, magnitude = bits & 0x7fffffffu;
    U result;
    if constexpr (ROUNDING == 1) {
        // Normal: add half a unit (a carry into the exponent is right). Below: the float's own rounding at 2^-24.
        const U normal = (magnitude + 0x0fffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
        const U small = devq_bits<U>(devq_bits<F>(magnitude) + 0.5f) - 0x3f000000u;
        result = magnitude < 0x38800000u ? small : normal;
        result = magnitude >= 0x477ff000u ? U{} + 0x7c00u : result;
    } else {
        const U exponent = magnitude >> 23, most = U{} + 25u;
        const U wanted = 126u - exponent, small_shift = exponent < 102u ? most : wanted; // below 2^-25 nothing is left
        const U significand = exponent == 0u ? magnitude & 0x7fffffu : (magnitude & 0x7fffffu) | 0x800000u;
        const U shift = exponent < 113u ? small_shift : U{} + 13u;
        const U whole = exponent < 113u ? significand : magnitude - 0x38000000u;
        const U lost = whole & ((one << shift) - 1u);
        const U away = ROUNDING == 2 ? none : ROUNDING == 3 ? 1u - sign : sign;
        result = (whole >> shift) + (lost != 0u ? away : none);
        const U beyond = magnitude == 0x7f800000u ? U{} + 0x7c00u : 0x7bffu + away;
        result = magnitude >= 0x47800000u ? beyond : result;
    }
    const U nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    return (magnitude > 0x7f800000u ? nan : result) | sign << 15;
}

#if defined(__F16C__)
typedef short devq_short8 __attribute__((vector_size(16)));
typedef short devq_short16 __attribute__((vector_size(32)));
typedef int devq_int16 __attribute__((vector_size(64)));
typedef long long devq_longlong2 __attribute__((vector_size(16)));
typedef float devq_float4 __attribute__((vector_size(16)));
typedef float devq_float8 __attribute__((vector_size(32)));
typedef float devq_float16 __attribute__((vector_size(64)));

DEVQ_FN float devq_widen(ushort h) {
    const devq_short8 one = {static_cast<short>(h)};
    return __builtin_ia32_vcvtph2ps(one)[0];
}
// clang turns a comparison of what was widened into one of halves, lane by lane: let it not see where this comes from.
template <class V>
DEVQ_FN V devq_opaque(V x) {
#if defined(__clang__)
    asm("" : "+x"(x));
#endif
    return x;
}
template <int N>
DEVQ_FN vec<float, N> devq_widen(vec<ushort, N> h) {
    if constexpr (N == 16) {
#if defined(__AVX512F__)
        return {devq_raw{}, devq_opaque(__builtin_ia32_vcvtph2ps512_mask((devq_short16)h.v, devq_float16{}, -1, 4))};
#else
        return devq_join(devq_widen(h.get(devq_lo{})), devq_widen(h.get(devq_hi{})));
#endif
    } else if constexpr (N == 8) {
        return {devq_raw{}, devq_opaque(__builtin_ia32_vcvtph2ps256((devq_short8)h.v))};
    } else {
        devq_short8 padded{};
        __builtin_memcpy(&padded, &h, sizeof h);
        const devq_float4 wide = __builtin_ia32_vcvtph2ps(padded);
        vec<float, N> r;
        __builtin_memcpy(&r, &wide, sizeof r);
        return r;
    }
}
// The instructions' rounding: 0 nearest even, 1 down, 2 up, 3 to zero.
template <int ROUNDING>
struct devq_half_mode {
    static constexpr int value = ROUNDING == 1 ? 0 : ROUNDING == 2 ? 3 : ROUNDING == 3 ? 2 : 1;
};
template <int ROUNDING>
DEVQ_FN ushort devq_narrow(float x) {
    const devq_float4 one = {x};
    return static_cast<ushort>(((devq_short8)__builtin_ia32_vcvtps2ph(one, devq_half_mode<ROUNDING>::value))[0]);
}
template <int ROUNDING, int N>
DEVQ_FN vec<ushort, N> devq_narrow(vec<float, N> x) {
    typedef typename devq_native<ushort, N>::type native;
    if constexpr (N == 16) {
#if defined(__AVX512F__)
        return {devq_raw{},
                (native)__builtin_ia32_vcvtps2ph512_mask(x.v, devq_half_mode<ROUNDING>::value, devq_short16{}, -1)};
#else
        return devq_join(devq_narrow<ROUNDING>(x.get(devq_lo{})), devq_narrow<ROUNDING>(x.get(devq_hi{})));
#endif
    } else if constexpr (N == 8) {
        return {devq_raw{}, (native)__builtin_ia32_vcvtps2ph256(x.v, devq_half_mode<ROUNDING>::value)};
    } else {
        devq_float4 padded{};
        __builtin_memcpy(&padded, &x, sizeof x);
        const auto narrow = __builtin_ia32_vcvtps2ph(padded, devq_half_mode<ROUNDING>::value);
        vec<ushort, N> r;
        __builtin_memcpy(&r, &narrow, sizeof r);
        return r;
    }
}
#else
DEVQ_FN float devq_widen(ushort h) { return devq_widen_bits(static_cast<uint>(h)); }
template <int N>
DEVQ_FN vec<float, N> devq_widen(vec<ushort, N> h) {
    return {devq_raw{}, devq_widen_bits(devq_cast<uint>(h).v)};
}
template <int ROUNDING>
DEVQ_FN ushort devq_narrow(float x) {
    return static_cast<ushort>(devq_narrow_bits<ROUNDING>(devq_bits<uint>(x)));
}
template <int ROUNDING, int N>
DEVQ_FN vec<ushort, N> devq_narrow(vec<float, N> x) {
    return devq_cast<ushort>(vec<uint, N>(devq_raw{}, devq_narrow_bits<ROUNDING>(devq_bits<vec<uint, N>>(x).v)));
}
#endif
