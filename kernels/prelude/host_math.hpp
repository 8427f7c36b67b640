// The host target's mathematical functions: f32 ones are made of operators, so that they vectorise.
#define DEVQ_C(name) __builtin_##name
#define DEVQ_CLZ(x) __builtin_clzl(x)
#define DEVQ_POPCOUNT(x) __builtin_popcountl(x)

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
DEVQ_SIMPLE1(exp)
DEVQ_SIMPLE1(exp2)
DEVQ_SIMPLE1(log)
DEVQ_SIMPLE1(log2)
DEVQ_SIMPLE1(log10)
DEVQ_SIMPLE1(tanh)
DEVQ_SIMPLE1(erf)
#undef DEVQ_SIMPLE1
DEVQ_EACH1(exp10, float, float, DEVQ_C(powf)(10.0f, a))
DEVQ_EACH1(exp10, double, double, DEVQ_C(pow)(10.0, a))
DEVQ_EACH1(rsqrt, float, float, 1.0f / sqrt(a))
DEVQ_EACH1(rsqrt, double, double, 1.0 / sqrt(a))
DEVQ_EACH3(fma, float, float, DEVQ_C(fmaf)(a, b, c))
DEVQ_EACH3(fma, double, double, DEVQ_C(fma)(a, b, c))
DEVQ_EACH2(copysign, float, float, DEVQ_C(copysignf)(a, b))
DEVQ_EACH2(copysign, double, double, DEVQ_C(copysign)(a, b))
