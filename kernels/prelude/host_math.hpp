// The host target's mathematical functions. Those of float below are made of operators and have no branches, so that
// they work on whole vectors (F: float or a compiler vector of floats) and vectorise over work-items. Coefficients are
// minimax fits of our own; tests/unit/frontend/accuracy_test.cpp bounds the errors.
#define DEVQ_C(name) __builtin_##name
#define DEVQ_CLZ(x) __builtin_clzl(x)
#define DEVQ_POPCOUNT(x) __builtin_popcountl(x)

template <class F>
struct devq_int_for {
    typedef decltype(F{} < F{}) type;
};
template <>
struct devq_int_for<float> {
    typedef int type;
};
template <class F>
DEVQ_FN F devq_fill(float x) {
    return F{} + x;
}
template <class F>
DEVQ_FN auto devq_to_bits(F x) {
    return devq_bits<typename devq_int_for<F>::type>(x);
}
template <class F>
DEVQ_FN F devq_magnitude(F x) {
    return devq_bits<F>(devq_to_bits(x) & 0x7fffffff);
}
template <class F>
DEVQ_FN F devq_with_sign(F magnitude, F sign) {
    return devq_bits<F>((devq_to_bits(magnitude) & 0x7fffffff) | (devq_to_bits(sign) & (-0x7fffffff - 1)));
}

// The sum of x and this has x, rounded to nearest, plus 254 in its lowest bits: twice a float's exponent of 1.
static constexpr float devq_magic = 12582912.0f + 254.0f;

// x · 2^n, where t = n + devq_magic and n is in [-250, 250]: overflow, denormals and NaN come out as they should.
#if defined(__AVX512F__) && defined(__AVX512VL__)
template <class F>
DEVQ_FN F devq_scale(F x, F n, F t) {
    if constexpr (sizeof(F) == 64)
        return __builtin_ia32_scalefps512_mask(x, n, x, -1, 4);
    else if constexpr (sizeof(F) == 32)
        return __builtin_ia32_scalefps256_mask(x, n, x, -1);
    else if constexpr (sizeof(F) == 16)
        return __builtin_ia32_scalefps128_mask(x, n, x, -1);
    else
#else
template <class F>
DEVQ_FN F devq_scale(F x, F, F t) {
#endif
    {
        // in two steps, both normal numbers; what lies above the lowest bits of t is shifted out
        const auto whole = devq_to_bits(t), first = whole >> 1;
        return x * devq_bits<F>(first << 23) * devq_bits<F>((whole - first) << 23);
    }
}
template <class F>
DEVQ_FN F devq_between(F x, float least, float most) { // NaN stays
    const F a = devq_fill<F>(least), b = devq_fill<F>(most);
    x = x < a ? a : x;
    return x > b ? b : x;
}
// e^r for |r| <= ln(2) / 2
template <class F>
DEVQ_FN F devq_exp_near_0(F r) {
    F q = r * 0.00138131440325f + 0.00836941884475f;
    q = q * r + 0.0416684568004f;
    q = q * r + 0.166665147913f;
    q = q * r + 0.499999930506f;
    q = q * r + 1.0f;
    return q * r + 1.0f;
}
// ln(2) in two parts, the first with few bits: its product with n is exact without fused operations too.
template <class F>
DEVQ_FN F devq_exp(F x) {
    x = devq_between(x, -104.0f, 89.0f);
    const F t = x * 1.44269504088896341f + devq_magic, n = t - devq_magic;
    return devq_scale(devq_exp_near_0((x - n * 0.693359375f) + n * 2.12194440054690583e-4f), n, t);
}
// e^x for |x| <= 80: the exponent is added to the bits.
template <class F>
DEVQ_FN F devq_exp_small(F x) {
    const F t = x * 1.44269504088896341f + 12582912.0f, n = t - 12582912.0f;
    const F e = devq_exp_near_0((x - n * 0.693359375f) + n * 2.12194440054690583e-4f);
    return devq_bits<F>(devq_to_bits(e) + (devq_to_bits(t) << 23));
}
template <class F>
DEVQ_FN F devq_exp2(F x) {
    x = devq_between(x, -151.0f, 129.0f);
    const F t = x + devq_magic, n = t - devq_magic, r = x - n;
    F q = r * 0.000153523175555f + 0.00134001701126f;
    q = q * r + 0.00961844995904f;
    q = q * r + 0.0555032934972f;
    q = q * r + 0.240226477424f;
    q = q * r + 0.693147204182f;
    return devq_scale(q * r + 1.0f, n, t);
}
template <class F>
DEVQ_FN F devq_exp10(F x) {
    x = devq_between(x, -46.0f, 39.0f);
    const F t = x * 3.32192809488736235f + devq_magic, n = t - devq_magic;
    const F r = (x - n * 0.30078125f) - n * 2.48745663981195213e-4f; // log10(2) in two parts
    const F high = r * 2.302734375f;                                 // ln(10) in two parts
    return devq_scale(devq_exp_near_0(high + r * -1.49282006318954e-4f), n, t);
}

// x = m · 2^e with sqrt(1/2) <= m < sqrt(2); answers m - 1 (x positive and finite).
template <class F>
DEVQ_FN F devq_split(F x, F& e) {
    const F tiny = devq_fill<F>(0x1p-126f);
    const auto bits = devq_to_bits(x < tiny ? x * 0x1p23f : x) - 0x3f3504f3, exponent = bits >> 23;
    e = devq_bits<F>(exponent + 0x4b400000) - 12582912.0f;
    e = x < tiny ? e - 23.0f : e;
    return devq_bits<F>((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
}
// log(1 + f) = f - f²/2 + this
template <class F>
DEVQ_FN F devq_log_rest(F f) {
    F p = f * -0.0763452532757f + 0.127654998222f;
    p = p * f + -0.131619821027f;
    p = p * f + 0.142013567965f;
    p = p * f + -0.16623145934f;
    p = p * f + 0.200012364374f;
    p = p * f + -0.250008267216f;
    p = p * f + 0.333333316757f;
    return p * (f * f * f);
}
// What a logarithm is at 0 and below, infinity and NaN.
template <class F>
DEVQ_FN F devq_log_special(F x, F result) {
    const F zero{}, infinite = devq_fill<F>(DEVQ_INFINITY), none = devq_fill<F>(DEVQ_NAN);
    result = x == infinite ? infinite : result;
    result = x == zero ? -infinite : result;
    result = x < zero ? none : result;
    return x != x ? x : result;
}
template <class F>
DEVQ_FN F devq_log(F x) {
    F e;
    const F f = devq_split(x, e), rest = devq_log_rest(f) - e * 2.12194440054690583e-4f;
    return devq_log_special(x, e * 0.693359375f + ((rest - f * f * 0.5f) + f));
}
// The logarithm of 1 + f times a constant: f² is exact enough only if the large part is a product with few bits.
template <class F>
DEVQ_FN F devq_log_scaled(F f, float high, float low) {
    const F rest = devq_log_rest(f) - f * f * 0.5f;
    const F large = devq_bits<F>(devq_to_bits(f) & -0x1000), small = (f - large) + rest;
    return large * high + (small * high + (large + small) * low);
}
template <class F>
DEVQ_FN F devq_log2(F x) {
    F e;
    const F f = devq_split(x, e);
    return devq_log_special(x, devq_log_scaled(f, 1.4423828125f, 3.1225952896341e-4f) + e);
}
template <class F>
DEVQ_FN F devq_log10(F x) {
    F e;
    const F f = devq_split(x, e);
    const F small = devq_log_scaled(f, 0.434326171875f, -3.1689971365e-5f) + e * 2.48745663981195213e-4f;
    return devq_log_special(x, e * 0.30078125f + small);
}

template <class F>
DEVQ_FN F devq_tanh(F x) {
    const F a = devq_magnitude(x), z = a * a;
    F p = z * -0.00552874743077f + 0.0204835140991f;
    p = p * z + -0.0536930728628f;
    p = p * z + 0.133309017827f;
    p = p * z + -0.333332629923f;
    const F near_0 = p * (z * a) + a;
    const F far = 1.0f - 2.0f / (devq_exp_small(devq_between(a, 0.0f, 10.0f) * 2.0f) + 1.0f);
    return devq_with_sign(x != x ? x : a < devq_fill<F>(0.625f) ? near_0 : far, x);
}

// Near 0 by a polynomial; beyond as 1 - e^(-a · q(a)), which has the right relative error of 1 - erf too.
template <class F>
DEVQ_FN F devq_erf(F x) {
    const F a = devq_magnitude(x), z = a * a;
    F p = z * 8.21542401575e-5f + -0.000810596834048f;
    p = p * z + 0.00519779788499f;
    p = p * z + -0.0268581048542f;
    p = p * z + 0.112836725638f;
    p = p * z + -0.376126322877f;
    p = p * z + 0.128379166495f;
    const F near_0 = p * a + a;
    const F b = devq_between(a, 0.0f, 4.0f);
    F q = b * -0.000215708466277f + 0.00322904796522f;
    q = q * b + -0.0229347522191f;
    q = q * b + 0.105331021006f;
    q = q * b + 0.635666362462f;
    q = q * b + 1.12852954865f;
    const F far = 1.0f - devq_exp_small(-(q * b));
    return devq_with_sign(x != x ? x : a < devq_fill<F>(0.9f) ? near_0 : far, x);
}

#define DEVQ_OWN(NAME)                                                                                                 \
    DEVQ_WHOLE1(NAME, float, devq_##NAME(a))                                                                           \
    DEVQ_EACH1(NAME, double, double, DEVQ_C(NAME)(a))
DEVQ_FN double devq_exp10_double(double x) { return DEVQ_C(pow)(10.0, x); }
DEVQ_OWN(exp)
DEVQ_OWN(exp2)
DEVQ_OWN(log)
DEVQ_OWN(log2)
DEVQ_OWN(log10)
DEVQ_OWN(tanh)
DEVQ_OWN(erf)
#undef DEVQ_OWN
DEVQ_WHOLE1(exp10, float, devq_exp10(a))
DEVQ_EACH1(exp10, double, double, devq_exp10_double(a))

// Single instructions: compilers join the lanes.
#define DEVQ_SIMPLE1(NAME)                                                                                             \
    DEVQ_EACH1(NAME, float, float, DEVQ_C(NAME##f)(a))                                                                 \
    DEVQ_EACH1(NAME, double, double, DEVQ_C(NAME)(a))
DEVQ_SIMPLE1(sqrt)
DEVQ_SIMPLE1(floor)
DEVQ_SIMPLE1(ceil)
DEVQ_SIMPLE1(trunc)
DEVQ_SIMPLE1(rint)
DEVQ_SIMPLE1(round)
DEVQ_SIMPLE1(fabs)
#undef DEVQ_SIMPLE1
DEVQ_EACH1(rsqrt, float, float, 1.0f / DEVQ_C(sqrtf)(a))
DEVQ_EACH1(rsqrt, double, double, 1.0 / DEVQ_C(sqrt)(a))
DEVQ_EACH1(cbrt, float, float, DEVQ_C(cbrtf)(a))
// The C library's may be off by more than OpenCL's two units: a step of Newton's method, at a scale where all its terms
// are normal numbers.
DEVQ_FN double devq_cbrt(double x) {
    const double size = DEVQ_C(fabs)(x);
    const double scale = size < 0x1p-600 ? 0x1p600 : size > 0x1p600 ? 0x1p-600 : 1.0;
    const double back = size < 0x1p-600 ? 0x1p-200 : size > 0x1p600 ? 0x1p200 : 1.0;
    const double y = x * scale, root = DEVQ_C(cbrt)(y), square = root * root;
    if (!(square > 0.0 && square < DEVQ_INFINITY))
        return DEVQ_C(cbrt)(x);
    const double excess = DEVQ_C(fma)(square, root, -y) + DEVQ_C(fma)(root, root, -square) * root;
    return (root - excess / (3.0 * square)) * back;
}
DEVQ_EACH1(cbrt, double, double, devq_cbrt(a))
DEVQ_EACH2(copysign, float, float, DEVQ_C(copysignf)(a, b))
DEVQ_EACH2(copysign, double, double, DEVQ_C(copysign)(a, b))
DEVQ_EACH3(fma, float, float, DEVQ_C(fmaf)(a, b, c))
DEVQ_EACH3(fma, double, double, DEVQ_C(fma)(a, b, c))
