// The CUDA target's mathematical functions: NVRTC's own.
#define DEVQ_C(name) ::name
#define DEVQ_CLZ(x) ::__clzll(static_cast<long long>(x))
#define DEVQ_POPCOUNT(x) ::__popcll(x)

#define DEVQ_SIMPLE1(NAME)                                                                                             \
    DEVQ_EACH1(NAME, float, float, DEVQ_C(NAME##f)(a))                                                                 \
    DEVQ_EACH1(NAME, double, double, DEVQ_C(NAME)(a))
DEVQ_SIMPLE1(exp)
DEVQ_SIMPLE1(exp2)
DEVQ_SIMPLE1(exp10)
DEVQ_SIMPLE1(log)
DEVQ_SIMPLE1(log2)
DEVQ_SIMPLE1(log10)
DEVQ_SIMPLE1(tanh)
DEVQ_SIMPLE1(erf)
DEVQ_SIMPLE1(cbrt)
DEVQ_SIMPLE1(sqrt)
DEVQ_SIMPLE1(rsqrt)
DEVQ_SIMPLE1(floor)
DEVQ_SIMPLE1(ceil)
DEVQ_SIMPLE1(trunc)
DEVQ_SIMPLE1(rint)
DEVQ_SIMPLE1(round)
DEVQ_SIMPLE1(fabs)
#undef DEVQ_SIMPLE1
DEVQ_EACH2(copysign, float, float, DEVQ_C(copysignf)(a, b))
DEVQ_EACH2(copysign, double, double, DEVQ_C(copysign)(a, b))
DEVQ_EACH3(fma, float, float, DEVQ_C(fmaf)(a, b, c))
DEVQ_EACH3(fma, double, double, DEVQ_C(fma)(a, b, c))
