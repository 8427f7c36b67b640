// Mathematical functions that both targets take from their C library, lane by lane, and those made of others.
// What a target does better itself (exp, sqrt, floor, …) is in its own file, before this one.

#define DEVQ_LIBRARY1(NAME)                                                                                            \
    DEVQ_FN float NAME(float a) { return DEVQ_C(NAME##f)(a); }                                                         \
    DEVQ_FN double NAME(double a) { return DEVQ_C(NAME)(a); }                                                          \
    template <class T, int N>                                                                                          \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x) {                                                                              \
        return devq_each<T>([](T a) { return NAME(a); }, x);                                                           \
    }
#define DEVQ_LIBRARY2(NAME)                                                                                            \
    DEVQ_FN float NAME(float a, float b) { return DEVQ_C(NAME##f)(a, b); }                                             \
    DEVQ_FN double NAME(double a, double b) { return DEVQ_C(NAME)(a, b); }                                             \
    template <class T, int N>                                                                                          \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y) {                                       \
        return devq_each<T>([](T a, T b) { return NAME(a, b); }, x, y);                                                \
    }                                                                                                                  \
    template <class T, int N>                                                                                          \
    DEVQ_FN vec<T, N> NAME(typename devq_same<T>::type x, vec<T, N> y) {                                               \
        return NAME(vec<T, N>(x), y);                                                                                  \
    }
DEVQ_LIBRARY1(acos)
DEVQ_LIBRARY1(acosh)
DEVQ_LIBRARY1(asin)
DEVQ_LIBRARY1(asinh)
DEVQ_LIBRARY1(atan)
DEVQ_LIBRARY1(atanh)
DEVQ_LIBRARY1(cosh)
DEVQ_LIBRARY1(erfc)
DEVQ_LIBRARY1(expm1)
DEVQ_LIBRARY1(log1p)
DEVQ_LIBRARY1(logb)
DEVQ_LIBRARY1(sinh)
DEVQ_LIBRARY1(tan)
DEVQ_LIBRARY1(tgamma)
DEVQ_LIBRARY1(lgamma)
DEVQ_LIBRARY1(sin)
DEVQ_LIBRARY1(cos)
DEVQ_LIBRARY2(atan2)
DEVQ_LIBRARY2(fdim)
DEVQ_LIBRARY2(fmod)
DEVQ_LIBRARY2(hypot)
DEVQ_LIBRARY2(nextafter)
DEVQ_LIBRARY2(pow)
DEVQ_LIBRARY2(remainder)
#undef DEVQ_LIBRARY1
#undef DEVQ_LIBRARY2

// ---- of operators ----
#define DEVQ_EXTREMES(T)                                                                                               \
    DEVQ_WHOLE2(fmin, T, b != b ? a : (a < b ? a : b))                                                                 \
    DEVQ_WHOLE2(fmax, T, b != b ? a : (a > b ? a : b))
DEVQ_FLOATS(DEVQ_EXTREMES)
#undef DEVQ_EXTREMES

// ---- by other functions; angles in half turns are reduced exactly before they meet pi ----
template <class T>
DEVQ_FN T devq_sinpi(T x) { // by the magnitude: adding whole turns to a small negative number would lose it
    const T a = fabs(x), turns = a - T(2) * floor(a * T(0.5)); // 0 <= turns < 2
    const T folded = turns < T(0.5) ? turns : turns < T(1.5) ? T(1) - turns : turns - T(2);
    const T sine = sin(folded * T(3.14159265358979323846));
    return folded == T(0) ? copysign(T(0), x) : x < T(0) ? -sine : sine;
}
template <class T>
DEVQ_FN T devq_cospi(T x) {
    const T a = fabs(x), turns = a - T(2) * floor(a * T(0.5)), half_turn = turns > T(1) ? T(2) - turns : turns;
    return half_turn == T(0.5)    ? T(0)
           : half_turn <= T(0.25) ? cos(half_turn * T(3.14159265358979323846))
           : half_turn < T(0.75)  ? sin((T(0.5) - half_turn) * T(3.14159265358979323846))
                                  : -cos((T(1) - half_turn) * T(3.14159265358979323846));
}
template <class T>
DEVQ_FN T devq_rootn(T x, int n) {
    const bool odd = n & 1;
    const T a = fabs(x), degree = static_cast<T>(n), power = T(1) / degree;
    T root = pow(a, power);
    // 1/n is rounded, which large exponents of x make much of: by what it lacks, times the logarithm.
    if (a > T(0) && a - a == T(0) && root - root == T(0) && n != 0)
        root += root * (fma(-degree, power, T(1)) * power * log(a));
    return n == 0 || (x < T(0) && !odd) ? T(DEVQ_NAN) : odd ? copysign(root, x) : root;
}
template <class T>
DEVQ_FN T devq_powr(T x, T y) {
    // as a limit of exp(y log x): unlike pow, the cases where that has no limit are NaN
    const bool undefined = x < T(0) || (x == T(0) && y == T(0)) || (x == T(1) && y - y != T(0)) ||
                           (x - x != T(0) && y == T(0)) || x != x || y != y;
    return undefined ? T(DEVQ_NAN) : pow(fabs(x), y);
}
template <class T>
DEVQ_FN T devq_maxmag(T a, T b) {
    return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b);
}
template <class T>
DEVQ_FN T devq_minmag(T a, T b) {
    return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b);
}
#define DEVQ_DERIVED(T)                                                                                                \
    DEVQ_WHOLE3(mad, T, a* b + c)                                                                                      \
    DEVQ_EACH1(sinpi, T, T, devq_sinpi(a))                                                                             \
    DEVQ_EACH1(cospi, T, T, devq_cospi(a))                                                                             \
    DEVQ_EACH1(tanpi, T, T, devq_sinpi(a) / devq_cospi(a))                                                             \
    DEVQ_EACH1(asinpi, T, T, asin(a) * T(0.31830988618379067154))                                                      \
    DEVQ_EACH1(acospi, T, T, acos(a) * T(0.31830988618379067154))                                                      \
    DEVQ_EACH1(atanpi, T, T, atan(a) * T(0.31830988618379067154))                                                      \
    DEVQ_EACH2(atan2pi, T, T, atan2(a, b) * T(0.31830988618379067154))                                                 \
    DEVQ_EACH2(powr, T, T, devq_powr(a, b))                                                                            \
    DEVQ_EACH2(maxmag, T, T, devq_maxmag(a, b))                                                                        \
    DEVQ_EACH2(minmag, T, T, devq_minmag(a, b))
DEVQ_FLOATS(DEVQ_DERIVED)
#undef DEVQ_DERIVED

// ---- with integers ----
#define DEVQ_INTEGER_SECOND(NAME, EXPRESSION)                                                                          \
    DEVQ_FN float NAME(float a, int b) { return EXPRESSION; }                                                          \
    DEVQ_FN double NAME(double a, int b) { return EXPRESSION; }                                                        \
    template <class T, int N>                                                                                          \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x, typename devq_same<vec<int, N>>::type y) {                                     \
        return devq_each<T>([](T a, int b) { return NAME(a, b); }, x, y);                                              \
    }
DEVQ_FN float devq_ldexp(float x, int e) { return DEVQ_C(ldexpf)(x, e); }
DEVQ_FN double devq_ldexp(double x, int e) { return DEVQ_C(ldexp)(x, e); }
DEVQ_INTEGER_SECOND(ldexp, devq_ldexp(a, b))
DEVQ_INTEGER_SECOND(pown, static_cast<decltype(a)>(pow(static_cast<double>(a), static_cast<double>(b))))
DEVQ_INTEGER_SECOND(rootn, devq_rootn(a, b))
#undef DEVQ_INTEGER_SECOND
DEVQ_EACH1(ilogb, int, float, DEVQ_C(ilogbf)(a))
DEVQ_EACH1(ilogb, int, double, DEVQ_C(ilogb)(a))
DEVQ_FN float nan(uint code) { return devq_bits<float>(0x7fc00000u | (code & 0x3fffffu)); }
template <int N>
DEVQ_FN vec<float, N> nan(vec<uint, N> code) {
    return devq_each<float>([](uint a) { return nan(a); }, code);
}

// ---- with a second result through a pointer ----
#define DEVQ_POINTER1(NAME, P, EXPRESSION)                                                                             \
    DEVQ_FN float NAME(float a, P(float) * p) { return EXPRESSION; }                                                   \
    DEVQ_FN double NAME(double a, P(double) * p) { return EXPRESSION; }                                                \
    template <class T, int N>                                                                                          \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x, vec<P(T), N>* p) {                                                             \
        vec<T, N> r;                                                                                                   \
        for (int i = 0; i < N; ++i) {                                                                                  \
            P(T) second;                                                                                               \
            r.v[i] = NAME(T(x.v[i]), &second);                                                                         \
            p->v[i] = second;                                                                                          \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define DEVQ_SAME(T) T
#define DEVQ_INT(T) int
template <class T>
DEVQ_FN T devq_fract(T x, T* whole) {
    *whole = floor(x);
    const T most = sizeof(T) == 4 ? T(0x1.fffffep-1f) : T(0x1.fffffffffffffp-1);
    return x - x != T(0) ? (x != x ? x : copysign(T(0), x)) : fmin(x - *whole, most);
}
template <class T>
DEVQ_FN T devq_modf(T x, T* whole) {
    *whole = trunc(x);
    return copysign(x - x != T(0) && x == x ? T(0) : x - *whole, x);
}
template <class T>
DEVQ_FN T devq_sincos(T x, T* cosine) {
    *cosine = cos(x);
    return sin(x);
}
DEVQ_FN float devq_frexp(float x, int* e) { return DEVQ_C(frexpf)(x, e); }
DEVQ_FN double devq_frexp(double x, int* e) { return DEVQ_C(frexp)(x, e); }
// the sign of the gamma function at x
template <class T>
DEVQ_FN T devq_lgamma_r(T x, int* sign) {
    *sign = x < T(0) && floor(x) != x && T(2) * floor(floor(x) * T(0.5)) != floor(x) ? -1 : 1;
    return lgamma(x);
}
DEVQ_POINTER1(fract, DEVQ_SAME, devq_fract(a, p))
DEVQ_POINTER1(modf, DEVQ_SAME, devq_modf(a, p))
DEVQ_POINTER1(sincos, DEVQ_SAME, devq_sincos(a, p))
DEVQ_POINTER1(frexp, DEVQ_INT, devq_frexp(a, p))
DEVQ_POINTER1(lgamma_r, DEVQ_INT, devq_lgamma_r(a, p))
#undef DEVQ_POINTER1
DEVQ_FN float remquo(float a, float b, int* quotient) { return DEVQ_C(remquof)(a, b, quotient); }
DEVQ_FN double remquo(double a, double b, int* quotient) { return DEVQ_C(remquo)(a, b, quotient); }
template <class T, int N>
DEVQ_FN vec<T, N> remquo(vec<T, N> a, vec<T, N> b, vec<int, N>* quotient) {
    vec<T, N> r;
    for (int i = 0; i < N; ++i) {
        int one;
        r.v[i] = remquo(T(a.v[i]), T(b.v[i]), &one);
        quotient->v[i] = one;
    }
    return r;
}

// ---- the fast forms may be as exact as the others ----
#define DEVQ_FAST1(NAME)                                                                                               \
    template <class T>                                                                                                 \
    DEVQ_FN T native_##NAME(T x) {                                                                                     \
        return NAME(x);                                                                                                \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T half_##NAME(T x) {                                                                                       \
        return NAME(x);                                                                                                \
    }
DEVQ_FAST1(cos)
DEVQ_FAST1(exp)
DEVQ_FAST1(exp2)
DEVQ_FAST1(exp10)
DEVQ_FAST1(log)
DEVQ_FAST1(log2)
DEVQ_FAST1(log10)
DEVQ_FAST1(rsqrt)
DEVQ_FAST1(sin)
DEVQ_FAST1(sqrt)
DEVQ_FAST1(tan)
#undef DEVQ_FAST1
template <class T>
DEVQ_FN T native_recip(T x) {
    return T(1) / x;
}
template <class T>
DEVQ_FN T half_recip(T x) {
    return T(1) / x;
}
template <class T>
DEVQ_FN T native_divide(T x, T y) {
    return x / y;
}
template <class T>
DEVQ_FN T half_divide(T x, T y) {
    return x / y;
}
template <class T>
DEVQ_FN T native_powr(T x, T y) {
    return powr(x, y);
}
template <class T>
DEVQ_FN T half_powr(T x, T y) {
    return powr(x, y);
}

// ---- conversions of integers to floats other than to nearest ----
template <class To, int ROUNDING, class From>
DEVQ_FN To devq_round_integer(From x) {
    const To nearest = static_cast<To>(x);
    // the exact comparison: nearest is an integer; only 2^64 and 2^63 leave the integer's range
    const To limit = devq_scalar<From>::is_unsigned ? To(2) * static_cast<To>(devq_scalar<From>::most / 2 + 1)
                                                    : static_cast<To>(devq_scalar<From>::most / 2 + 1) * To(2);
    const bool beyond = nearest >= limit;
    const bool above = beyond || static_cast<From>(nearest) > x, below = !beyond && static_cast<From>(nearest) < x;
    const bool to_zero_down = x > From(0);
    if (above && (ROUNDING == 4 || (ROUNDING == 2 && to_zero_down)))
        return nextafter(nearest, To(-DEVQ_INFINITY));
    if (below && (ROUNDING == 3 || (ROUNDING == 2 && !to_zero_down)))
        return nextafter(nearest, To(DEVQ_INFINITY));
    return nearest;
}
template <int ROUNDING>
DEVQ_FN float devq_round_double(double x) {
    const float nearest = static_cast<float>(x);
    const bool above = static_cast<double>(nearest) > x, below = static_cast<double>(nearest) < x;
    if (above && (ROUNDING == 4 || (ROUNDING == 2 && x > 0)))
        return nextafter(nearest, -DEVQ_INFINITY);
    if (below && (ROUNDING == 3 || (ROUNDING == 2 && x < 0)))
        return nextafter(nearest, DEVQ_INFINITY);
    return nearest;
}
