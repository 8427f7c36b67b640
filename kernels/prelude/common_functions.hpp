// Integer, relational, common and geometric functions, memory access and conversions, for both targets: lambdas made of
// operators run on whole vectors (devq_whole, devq_compare), the rest lane by lane (devq_each).

// ---- integers ----
// Wide enough to hold any sum of two T; for 64 bits the overflow is found otherwise.
template <class T>
DEVQ_FN T devq_add_sat(T a, T b) {
    typedef typename devq_scalar<T>::unsigned_type U;
    const T sum = static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    if (devq_scalar<T>::is_unsigned)
        return sum < a ? devq_scalar<T>::most : sum;
    if ((a < 0) == (b < 0) && (sum < 0) != (a < 0))
        return a < 0 ? devq_scalar<T>::least : devq_scalar<T>::most;
    return sum;
}
template <class T>
DEVQ_FN T devq_sub_sat(T a, T b) {
    typedef typename devq_scalar<T>::unsigned_type U;
    const T difference = static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
    if (devq_scalar<T>::is_unsigned)
        return a < b ? T(0) : difference;
    if ((a < 0) != (b < 0) && (difference < 0) != (a < 0))
        return a < 0 ? devq_scalar<T>::least : devq_scalar<T>::most;
    return difference;
}
template <class T>
DEVQ_FN T devq_mul_hi(T a, T b) {
    if constexpr (sizeof(T) < 8 && devq_scalar<T>::is_unsigned) { // the product of two uints is beyond a long
        return static_cast<T>((static_cast<ulong>(a) * static_cast<ulong>(b)) >> (8 * sizeof(T)));
    } else if constexpr (sizeof(T) < 8) {
        return static_cast<T>((static_cast<long>(a) * static_cast<long>(b)) >> (8 * sizeof(T)));
    } else {
        const ulong x = static_cast<ulong>(a), y = static_cast<ulong>(b), low = 0xffffffffu;
        const ulong ll = (x & low) * (y & low), lh = (x & low) * (y >> 32), hl = (x >> 32) * (y & low);
        const ulong middle = (ll >> 32) + (lh & low) + (hl & low);
        ulong high = (x >> 32) * (y >> 32) + (lh >> 32) + (hl >> 32) + (middle >> 32);
        if (!devq_scalar<T>::is_unsigned)
            high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
        return static_cast<T>(high);
    }
}
template <class T>
DEVQ_FN T devq_rotate(T a, T b) {
    typedef typename devq_scalar<T>::unsigned_type U;
    const int bits = 8 * sizeof(T), by = static_cast<int>(b) & (bits - 1);
    const U x = static_cast<U>(a);
    return by == 0 ? a : static_cast<T>(static_cast<U>((x << by) | (x >> (bits - by))));
}
template <class T>
DEVQ_FN T devq_clz(T a) {
    typedef typename devq_scalar<T>::unsigned_type U;
    return static_cast<T>(a == 0 ? 8 * sizeof(T)
                                 : DEVQ_CLZ(static_cast<ulong>(static_cast<U>(a))) - (64 - 8 * sizeof(T)));
}
#define DEVQ_INTEGER_FUNCTIONS(T)                                                                                      \
    DEVQ_WHOLE2(min, T, b < a ? b : a)                                                                                 \
    DEVQ_WHOLE2(max, T, a < b ? b : a)                                                                                 \
    DEVQ_WHOLE3(clamp, T, (a < b ? b : a) < c ? (a < b ? b : a) : c)                                                   \
    DEVQ_EACH1(abs, devq_scalar<T>::unsigned_type, T,                                                                  \
               a < 0 ? 0 - static_cast<devq_scalar<T>::unsigned_type>(a)                                               \
                     : static_cast<devq_scalar<T>::unsigned_type>(a))                                                  \
    DEVQ_EACH2(abs_diff, devq_scalar<T>::unsigned_type, T,                                                             \
               a < b ? static_cast<devq_scalar<T>::unsigned_type>(b) - static_cast<devq_scalar<T>::unsigned_type>(a)   \
                     : static_cast<devq_scalar<T>::unsigned_type>(a) - static_cast<devq_scalar<T>::unsigned_type>(b))  \
    DEVQ_WHOLE2(hadd, T, (a >> 1) + (b >> 1) + (a & b & 1))                                                            \
    DEVQ_WHOLE2(rhadd, T, (a >> 1) + (b >> 1) + ((a | b) & 1))                                                         \
    DEVQ_EACH2(add_sat, T, T, devq_add_sat(a, b))                                                                      \
    DEVQ_EACH2(sub_sat, T, T, devq_sub_sat(a, b))                                                                      \
    DEVQ_EACH2(mul_hi, T, T, devq_mul_hi(a, b))                                                                        \
    DEVQ_EACH3(mad_hi, T, T, devq_mul_hi(a, b) + c)                                                                    \
    DEVQ_EACH3(mad_sat, T, T, devq_mad_sat(a, b, c))                                                                   \
    DEVQ_EACH2(rotate, T, T, devq_rotate(a, b))                                                                        \
    DEVQ_EACH1(clz, T, T, devq_clz(a))                                                                                 \
    DEVQ_EACH1(popcount, T, T, DEVQ_POPCOUNT(static_cast<ulong>(static_cast<devq_scalar<T>::unsigned_type>(a))))
template <class T>
DEVQ_FN T devq_mad_sat(T a, T b, T c) {
    const T high = devq_mul_hi(a, b);
    const T low = static_cast<T>(static_cast<ulong>(a) * static_cast<ulong>(b)); // of ushorts, too, no int's overflow
    if (devq_scalar<T>::is_unsigned)
        return high != 0 ? devq_scalar<T>::most : devq_add_sat(low, c);
    if constexpr (sizeof(T) < 8) {
        const long exact = static_cast<long>(a) * static_cast<long>(b) + static_cast<long>(c);
        return exact < static_cast<long>(devq_scalar<T>::least)  ? devq_scalar<T>::least
               : exact > static_cast<long>(devq_scalar<T>::most) ? devq_scalar<T>::most
                                                                 : static_cast<T>(exact);
    } else {
        // the 128-bit sum of high:low and c
        const ulong sum = static_cast<ulong>(low) + static_cast<ulong>(c);
        const long top = static_cast<long>(high) + (c < 0 ? -1 : 0) + (sum < static_cast<ulong>(low) ? 1 : 0);
        if (top == (static_cast<long>(sum) < 0 ? -1 : 0))
            return static_cast<T>(sum);
        return top < 0 ? devq_scalar<T>::least : devq_scalar<T>::most;
    }
}
DEVQ_INTEGERS(DEVQ_INTEGER_FUNCTIONS)
#undef DEVQ_INTEGER_FUNCTIONS
// The low 32 bits of a product that may have 48: in uints, whose overflow C++ defines.
DEVQ_FN int devq_mul24(int a, int b) {
    return static_cast<int>(static_cast<uint>((a << 8) >> 8) * static_cast<uint>((b << 8) >> 8));
}
DEVQ_EACH2(mul24, int, int, devq_mul24(a, b))
DEVQ_EACH2(mul24, uint, uint, (a & 0xffffffu) * (b & 0xffffffu))
DEVQ_EACH3(mad24, int, int, static_cast<int>(static_cast<uint>(devq_mul24(a, b)) + static_cast<uint>(c)))
DEVQ_EACH3(mad24, uint, uint, (a & 0xffffffu) * (b & 0xffffffu) + c)
#define DEVQ_UPSAMPLE(R, H, L)                                                                                         \
    DEVQ_FN R upsample(H high, L low) { return static_cast<R>((static_cast<ulong>(high) << (8 * sizeof(L))) | low); }  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> upsample(vec<H, N> high, vec<L, N> low) {                                                        \
        return devq_each<R>([](H a, L b) { return upsample(a, b); }, high, low);                                       \
    }
DEVQ_UPSAMPLE(short, char, uchar)
DEVQ_UPSAMPLE(ushort, uchar, uchar)
DEVQ_UPSAMPLE(int, short, ushort)
DEVQ_UPSAMPLE(uint, ushort, ushort)
DEVQ_UPSAMPLE(long, int, uint)
DEVQ_UPSAMPLE(ulong, uint, uint)
#undef DEVQ_UPSAMPLE

// ---- relations ----
#define DEVQ_RELATION1(NAME, T, EXPRESSION)                                                                            \
    DEVQ_FN int NAME(T a) { return EXPRESSION; }                                                                       \
    template <int N>                                                                                                   \
    DEVQ_FN auto NAME(vec<T, N> x) {                                                                                   \
        return devq_compare([](DEVQ_LANES(T) a) { return EXPRESSION; }, x);                                            \
    }
#define DEVQ_RELATION2(NAME, T, EXPRESSION)                                                                            \
    DEVQ_FN int NAME(T a, T b) { return EXPRESSION; }                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN auto NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y) {                                            \
        return devq_compare([](DEVQ_LANES(T) a, DEVQ_LANES(T) b) { return EXPRESSION; }, x, y);                        \
    }
#define DEVQ_RELATIONS(T)                                                                                              \
    DEVQ_RELATION2(isequal, T, a == b)                                                                                 \
    DEVQ_RELATION2(isnotequal, T, a != b)                                                                              \
    DEVQ_RELATION2(isgreater, T, a > b)                                                                                \
    DEVQ_RELATION2(isgreaterequal, T, a >= b)                                                                          \
    DEVQ_RELATION2(isless, T, a < b)                                                                                   \
    DEVQ_RELATION2(islessequal, T, a <= b)                                                                             \
    DEVQ_RELATION2(islessgreater, T, (a < b) | (a > b))                                                                \
    DEVQ_RELATION2(isordered, T, (a == a) & (b == b))                                                                  \
    DEVQ_RELATION2(isunordered, T, (a != a) | (b != b))                                                                \
    DEVQ_RELATION1(isnan, T, a != a)                                                                                   \
    DEVQ_RELATION1(isfinite, T, a - a == T(0))                                                                         \
    DEVQ_RELATION1(isinf, T, (a == a) & (a - a != T(0)))
DEVQ_FLOATS(DEVQ_RELATIONS)
#undef DEVQ_RELATIONS
#undef DEVQ_RELATION1
#undef DEVQ_RELATION2
// By the bits: a denormal is not normal, a negative zero has its sign.
DEVQ_FN int isnormal(float x) { return (devq_bits<uint>(x) & 0x7f800000u) - 0x00800000u < 0x7f000000u; }
DEVQ_FN int isnormal(double x) { return ((devq_bits<ulong>(x) >> 52) & 0x7ff) - 1u < 0x7feu; }
DEVQ_FN int signbit(float x) { return devq_bits<int>(x) < 0; }
DEVQ_FN int signbit(double x) { return devq_bits<long>(x) < 0; }
template <class T, int N>
DEVQ_FN auto isnormal(vec<T, N> x) {
    return devq_each<typename devq_scalar<T>::signed_type>([](T a) { return -isnormal(a); }, x);
}
template <class T, int N>
DEVQ_FN auto signbit(vec<T, N> x) {
    return devq_bits<vec<typename devq_scalar<T>::signed_type, N>>(x) < 0;
}
template <class T>
DEVQ_FN int any(T x) {
    if constexpr (devq_vector<T>::is) {
        int result = 0;
        for (int i = 0; i < devq_vector<T>::lanes; ++i)
            result |= x.v[i] < 0;
        return result;
    } else {
        return x < 0;
    }
}
template <class T>
DEVQ_FN int all(T x) {
    if constexpr (devq_vector<T>::is) {
        int result = 1;
        for (int i = 0; i < devq_vector<T>::lanes; ++i)
            result &= x.v[i] < 0;
        return result;
    } else {
        return x < 0;
    }
}
template <class T, class C>
DEVQ_FN T select(T no, typename devq_same<T>::type yes, C condition) {
    if constexpr (devq_vector<T>::is)
        return devq_choose_lanes(condition, yes, no);
    else
        return condition ? yes : no;
}
template <class S, class T, int N, class C> // a scalar for all lanes
DEVQ_FN typename devq_enable<devq_scalar<S>::known, vec<T, N>>::type select(S no, vec<T, N> yes, C condition) {
    return select(vec<T, N>(no), yes, condition);
}
template <class T>
DEVQ_FN T bitselect(T a, typename devq_same<T>::type b, typename devq_same<T>::type c) {
    typedef
        typename devq_vector<T>::template with<typename devq_scalar<typename devq_vector<T>::element>::unsigned_type>
            U;
    return devq_bits<T>(static_cast<U>((devq_bits<U>(a) & ~devq_bits<U>(c)) | (devq_bits<U>(b) & devq_bits<U>(c))));
}

// ---- common functions ----
#define DEVQ_COMMON(T)                                                                                                 \
    DEVQ_WHOLE2(min, T, b < a ? b : a)                                                                                 \
    DEVQ_WHOLE2(max, T, a < b ? b : a)                                                                                 \
    DEVQ_FN T clamp(T x, T least, T most) { return fmin(fmax(x, least), most); }                                       \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> clamp(vec<T, N> x, typename devq_same<vec<T, N>>::type least,                                    \
                            typename devq_same<vec<T, N>>::type most) {                                                \
        return fmin(fmax(x, least), most);                                                                             \
    }                                                                                                                  \
    DEVQ_WHOLE3(mix, T, a + (b - a) * c)                                                                               \
    DEVQ_WHOLE1(degrees, T, a* T(57.295779513082320877))                                                               \
    DEVQ_WHOLE1(radians, T, a* T(0.017453292519943295769))                                                             \
    DEVQ_WHOLE2(step, T, b < a ? a - a : a - a + 1)                                                                    \
    DEVQ_FN T smoothstep(T a, T b, T x) {                                                                              \
        const T t = clamp((x - a) / (b - a), T(0), T(1));                                                              \
        return t * t * (T(3) - T(2) * t);                                                                              \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> smoothstep(vec<T, N> a, vec<T, N> b, vec<T, N> x) {                                              \
        const vec<T, N> t = clamp((x - a) / (b - a), T(0), T(1));                                                      \
        return t * t * (T(3) - T(2) * t);                                                                              \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> smoothstep(T a, T b, vec<T, N> x) {                                                              \
        return smoothstep(vec<T, N>(a), vec<T, N>(b), x);                                                              \
    }                                                                                                                  \
    DEVQ_EACH1(sign, T, T, a > T(0) ? T(1) : a < T(0) ? T(-1) : a == T(0) ? a : T(0))
DEVQ_FLOATS(DEVQ_COMMON)
#undef DEVQ_COMMON

// ---- geometry ----
template <class V>
DEVQ_FN auto dot(V a, V b) {
    if constexpr (devq_vector<V>::is) {
        typename devq_vector<V>::element sum = a.v[0] * b.v[0];
        for (int i = 1; i < devq_vector<V>::lanes; ++i)
            sum += a.v[i] * b.v[i];
        return sum;
    } else {
        return a * b;
    }
}
template <class V>
DEVQ_FN auto length(V a) {
    return sqrt(dot(a, a));
}
template <class V>
DEVQ_FN auto distance(V a, V b) {
    return length(a - b);
}
template <class V>
DEVQ_FN V normalize(V a) {
    return a / length(a);
}
template <class V>
DEVQ_FN auto fast_length(V a) {
    return length(a);
}
template <class V>
DEVQ_FN auto fast_distance(V a, V b) {
    return length(a - b);
}
template <class V>
DEVQ_FN V fast_normalize(V a) {
    return a / length(a);
}
template <class T, int N>
DEVQ_FN vec<T, N> cross(vec<T, N> a, vec<T, N> b) {
    vec<T, N> r(T(0));
    r.v[0] = a.v[1] * b.v[2] - a.v[2] * b.v[1];
    r.v[1] = a.v[2] * b.v[0] - a.v[0] * b.v[2];
    r.v[2] = a.v[0] * b.v[1] - a.v[1] * b.v[0];
    return r;
}

// ---- memory ----
// A double for a float from which a half is made: where it does not fit, its last bit is odd, so that rounding twice
// gives what rounding once would.
template <class T>
DEVQ_FN float devq_to_odd(T x) {
    float result = static_cast<float>(x);
    if constexpr (devq_is_same<T, double>::value) {
        const double back = result;
        uint bits = devq_bits<uint>(result);
        if (back != x && x == x) { // an infinity made of a large number becomes the largest float
            const bool larger = (back < 0 ? -back : back) > (x < 0 ? -x : x);
            bits = (larger ? bits - 1 : bits) | 1;
            result = devq_bits<float>(bits);
        }
    }
    return result;
}
template <int N>
DEVQ_FN vec<float, N> devq_to_odd(vec<double, N> x) {
    vec<float, N> result;
    for (int i = 0; i < N; ++i)
        result.v[i] = devq_to_odd<double>(x.v[i]);
    return result;
}
#define DEVQ_ACCESS(N)                                                                                                 \
    template <class T>                                                                                                 \
    DEVQ_FN vec<T, N> vload##N(size_t i, const T* p) {                                                                 \
        return devq_load<T, N>(p + i * N);                                                                             \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN void vstore##N(vec<T, N> x, size_t i, T* p) {                                                              \
        devq_store(x, p + i * N);                                                                                      \
    }                                                                                                                  \
    DEVQ_FN vec<float, N> vload_half##N(size_t i, const half* p) {                                                     \
        return devq_widen(devq_load<ushort, N>((const ushort*)p + i * N));                                             \
    }                                                                                                                  \
    DEVQ_FN vec<float, N> vloada_half##N(size_t i, const half* p) {                                                    \
        return devq_widen(devq_load<ushort, N>((const ushort*)p + i * (N == 3 ? 4 : N)));                              \
    }                                                                                                                  \
    DEVQ_HALF_STORE(N, , 1)                                                                                            \
    DEVQ_HALF_STORE(N, _rte, 1)                                                                                        \
    DEVQ_HALF_STORE(N, _rtz, 2)                                                                                        \
    DEVQ_HALF_STORE(N, _rtp, 3)                                                                                        \
    DEVQ_HALF_STORE(N, _rtn, 4)
#define DEVQ_HALF_STORE(N, SUFFIX, ROUNDING)                                                                           \
    DEVQ_FN void vstore_half##N##SUFFIX(vec<float, N> x, size_t i, half* p) {                                          \
        devq_store(devq_narrow<ROUNDING>(x), (ushort*)p + i * N);                                                      \
    }                                                                                                                  \
    DEVQ_FN void vstorea_half##N##SUFFIX(vec<float, N> x, size_t i, half* p) {                                         \
        devq_store(devq_narrow<ROUNDING>(x), (ushort*)p + i * (N == 3 ? 4 : N));                                       \
    }                                                                                                                  \
    DEVQ_FN void vstore_half##N##SUFFIX(vec<double, N> x, size_t i, half* p) {                                         \
        vstore_half##N##SUFFIX(devq_to_odd(x), i, p);                                                                  \
    }                                                                                                                  \
    DEVQ_FN void vstorea_half##N##SUFFIX(vec<double, N> x, size_t i, half* p) {                                        \
        vstorea_half##N##SUFFIX(devq_to_odd(x), i, p);                                                                 \
    }
DEVQ_ACCESS(2)
DEVQ_ACCESS(3)
DEVQ_ACCESS(4)
DEVQ_ACCESS(8)
DEVQ_ACCESS(16)
#undef DEVQ_HALF_STORE
#undef DEVQ_ACCESS
DEVQ_FN float vload_half(size_t i, const half* p) { return devq_widen(p[i].devq_bits); }
#define DEVQ_HALF_STORE(SUFFIX, ROUNDING)                                                                              \
    template <class T>                                                                                                 \
    DEVQ_FN void vstore_half##SUFFIX(T x, size_t i, half* p) {                                                         \
        p[i].devq_bits = devq_narrow<ROUNDING>(devq_to_odd(x));                                                        \
    }
DEVQ_HALF_STORE(, 1)
DEVQ_HALF_STORE(_rte, 1)
DEVQ_HALF_STORE(_rtz, 2)
DEVQ_HALF_STORE(_rtp, 3)
DEVQ_HALF_STORE(_rtn, 4)
#undef DEVQ_HALF_STORE
template <class T>
DEVQ_FN void prefetch(const T* p, size_t count) {
#ifndef __CUDACC_RTC__
    for (size_t at = 0; at < count * sizeof(T); at += 64)
        __builtin_prefetch((const char*)p + at);
#endif
}
template <class T, int N, class M>
DEVQ_FN auto shuffle(vec<T, N> x, M mask) {
    vec<T, devq_vector<M>::lanes> r;
    for (int i = 0; i < devq_vector<M>::lanes; ++i)
        r.v[i] = x.v[mask.v[i] & ((N == 3 ? 4 : N) - 1)];
    return r;
}
template <class T, int N, class M>
DEVQ_FN auto shuffle2(vec<T, N> x, vec<T, N> y, M mask) {
    constexpr int stored = N == 3 ? 4 : N;
    vec<T, devq_vector<M>::lanes> r;
    for (int i = 0; i < devq_vector<M>::lanes; ++i) {
        const int from = static_cast<int>(mask.v[i] & (2 * stored - 1));
        r.v[i] = from < stored ? x.v[from] : y.v[from - stored];
    }
    return r;
}
template <class V>
DEVQ_FN int vec_step(V) {
    return devq_vector<V>::lanes == 3 ? 4 : devq_vector<V>::lanes;
}

// ---- conversions ----
// Rounding: 0 as C does (to zero for integers, to nearest for floats), 1 to nearest even, 2 to zero, 3 up, 4 down.
template <class To, bool SATURATE, int ROUNDING, class From>
DEVQ_FN To devq_convert_one(From x) {
    if constexpr (devq_scalar<To>::floating && !devq_scalar<From>::floating && ROUNDING > 1) {
        return devq_round_integer<To, ROUNDING>(x);
    } else if constexpr (devq_is_same<To, float>::value && devq_is_same<From, double>::value && ROUNDING > 1) {
        return devq_round_double<ROUNDING>(x);
    } else if constexpr (devq_scalar<To>::floating) {
        return static_cast<To>(x);
    } else if constexpr (devq_scalar<From>::floating) {
        if constexpr (ROUNDING == 1)
            x = rint(x);
        else if constexpr (ROUNDING == 3)
            x = ceil(x);
        else if constexpr (ROUNDING == 4)
            x = floor(x);
        if constexpr (SATURATE) {
            // least is a power of two and exact; the first value beyond most is, too
            if (!(x > static_cast<From>(devq_scalar<To>::least)))
                return x == x ? devq_scalar<To>::least : To(0);
            if (x >= static_cast<From>(static_cast<double>(devq_scalar<To>::most / 2 + 1) * 2))
                return devq_scalar<To>::most;
        }
        return static_cast<To>(x);
    } else if constexpr (SATURATE) {
        if constexpr (!devq_scalar<From>::is_unsigned)
            if (x < From(0)) {
                if constexpr (devq_scalar<To>::is_unsigned)
                    return To(0);
                else
                    return static_cast<long>(x) < static_cast<long>(devq_scalar<To>::least) ? devq_scalar<To>::least
                                                                                            : static_cast<To>(x);
            }
        return static_cast<ulong>(x) > static_cast<ulong>(devq_scalar<To>::most) ? devq_scalar<To>::most
                                                                                 : static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}
template <class To, bool SATURATE, int ROUNDING, class From>
DEVQ_FN To devq_convert(From x) {
    typedef typename devq_vector<To>::element element;
    constexpr bool plain = !SATURATE &&
                           (ROUNDING == 0 || !devq_scalar<typename devq_vector<From>::element>::floating) &&
                           (ROUNDING < 2 || !devq_scalar<element>::floating);
    if constexpr (!devq_vector<To>::is) {
        return devq_convert_one<To, SATURATE, ROUNDING>(x);
    } else {
        static_assert(devq_vector<To>::lanes == devq_vector<From>::lanes, "convert_ keeps the number of components");
        if constexpr (plain)
            return devq_cast<element>(x);
        else
            return devq_each<element>(
                [](typename devq_vector<From>::element a) { return devq_convert_one<element, SATURATE, ROUNDING>(a); },
                x);
    }
}
template <class To, class From>
DEVQ_FN To devq_as(From x) {
    return devq_bits<To>(x);
}
// A comparison of scalars is an int in OpenCL C, a bool in C++.
template <class To>
DEVQ_FN To devq_as(bool x) {
    return devq_bits<To>(static_cast<int>(x));
}
