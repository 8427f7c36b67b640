// The host target's vectors: a compiler vector in a class, which the optimiser sees through. A component is v[i].
template <class T, int N>
struct devq_native {
    static constexpr int stored = N == 3 ? 4 : N;
    typedef T type __attribute__((vector_size(sizeof(T) * stored)));
    typedef T loose __attribute__((vector_size(sizeof(T) * stored), aligned(alignof(T)), may_alias));
};
struct devq_raw {};
template <class T, int N, int... I>
struct devq_ref;

template <class T, int N>
struct vec {
    typedef typename devq_native<T, N>::type native;
    typedef typename devq_scalar<T>::signed_type mask;
    native v;

    vec() = default;
    template <class S, class = typename devq_widens<S, T>::type>
    DEVQ_INLINE constexpr vec(S s) : v(static_cast<T>(s) - native{}) {}
    DEVQ_INLINE constexpr vec(devq_raw, native x) : v(x) {}

    template <int... I>
    DEVQ_INLINE vec<T, sizeof...(I)> get(devq_lanes<I...>) const {
        if constexpr (sizeof...(I) == 3)
            return {devq_raw{}, __builtin_shufflevector(v, v, I..., -1)};
        else
            return {devq_raw{}, __builtin_shufflevector(v, v, I...)};
    }
    template <int... I>
    DEVQ_INLINE devq_ref<T, N, I...> ref(devq_lanes<I...>) {
        return {*this};
    }
#define DEVQ_HALF(NAME, FIRST, STEP)                                                                                   \
    DEVQ_INLINE auto get(NAME) const {                                                                                 \
        if constexpr (N == 2)                                                                                          \
            return T(v[(FIRST)&1]);                                                                                    \
        else                                                                                                           \
            return get(typename devq_range<devq_native<T, N>::stored / 2, FIRST, STEP>::type{});                       \
    }                                                                                                                  \
    DEVQ_INLINE auto ref(NAME) { return ref(typename devq_range<devq_native<T, N>::stored / 2, FIRST, STEP>::type{}); }
    DEVQ_HALF(devq_lo, 0, 1)
    DEVQ_HALF(devq_hi, (devq_native<T, N>::stored / 2), 1)
    DEVQ_HALF(devq_even, 0, 2)
    DEVQ_HALF(devq_odd, 1, 2)
#undef DEVQ_HALF

#define DEVQ_BINARY(OP)                                                                                                \
    friend DEVQ_INLINE vec operator OP(vec a, vec b) { return {devq_raw{}, a.v OP b.v}; }                              \
    DEVQ_INLINE vec& operator OP##=(vec b) { return *this = *this OP b; }
    DEVQ_BINARY(+)
    DEVQ_BINARY(-)
    DEVQ_BINARY(*)
    DEVQ_BINARY(&)
    DEVQ_BINARY(|)
    DEVQ_BINARY(^)
#undef DEVQ_BINARY
    // Integers are divided one by one, and never the unused lane of three, which may hold a zero.
#define DEVQ_DIVISION(OP)                                                                                              \
    friend DEVQ_INLINE vec operator OP(vec a, vec b) {                                                                 \
        if constexpr (devq_scalar<T>::floating) {                                                                      \
            return {devq_raw{}, a.v OP b.v};                                                                           \
        } else {                                                                                                       \
            for (int i = 0; i < N; ++i)                                                                                \
                a.v[i] = static_cast<T>((a.v[i] OP DEVQ_DIVIDE)OP b.v[i]);                                             \
            return a;                                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    DEVQ_INLINE vec& operator OP##=(vec b) { return *this = *this OP b; }
    DEVQ_DIVISION(/)
    DEVQ_DIVISION(%)
#undef DEVQ_DIVISION
#define DEVQ_SHIFTING(OP)                                                                                              \
    friend DEVQ_INLINE vec operator OP(vec a, vec b) {                                                                 \
        return {devq_raw{}, a.v OP(b.v & vec(T(8 * sizeof(T) - 1)).v)};                                                \
    }                                                                                                                  \
    DEVQ_INLINE vec& operator OP##=(vec b) { return *this = *this OP b; }
    DEVQ_SHIFTING(<<)
    DEVQ_SHIFTING(>>)
#undef DEVQ_SHIFTING
#define DEVQ_COMPARISON(OP)                                                                                            \
    friend DEVQ_INLINE vec<mask, N> operator OP(vec a, vec b) {                                                        \
        return {devq_raw{}, (typename devq_native<mask, N>::type)(a.v OP b.v)};                                        \
    }
    DEVQ_COMPARISON(==)
    DEVQ_COMPARISON(!=)
    DEVQ_COMPARISON(<)
    DEVQ_COMPARISON(<=)
    DEVQ_COMPARISON(>)
    DEVQ_COMPARISON(>=)
#undef DEVQ_COMPARISON
    friend DEVQ_INLINE vec<mask, N> operator&&(vec a, vec b) { return (a != T(0)) & (b != T(0)); }
    friend DEVQ_INLINE vec<mask, N> operator||(vec a, vec b) { return (a != T(0)) | (b != T(0)); }
    friend DEVQ_INLINE vec<mask, N> operator!(vec a) { return a == T(0); }
    friend DEVQ_INLINE vec operator-(vec a) { return {devq_raw{}, -a.v}; }
    friend DEVQ_INLINE vec operator+(vec a) { return a; }
    friend DEVQ_INLINE vec operator~(vec a) { return {devq_raw{}, ~a.v}; }
    DEVQ_INLINE vec& operator++() { return *this += T(1); }
    DEVQ_INLINE vec& operator--() { return *this -= T(1); }
    DEVQ_INLINE vec operator++(int) {
        const vec old = *this;
        *this += T(1);
        return old;
    }
    DEVQ_INLINE vec operator--(int) {
        const vec old = *this;
        *this -= T(1);
        return old;
    }
};

// Bits as another type of the same size.
template <class To, class From>
DEVQ_FN To devq_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "as_type needs types of one size");
    To result;
    __builtin_memcpy(&result, &x, sizeof result);
    return result;
}

// f applied to whole vectors at once; f must be made of operators. R: the result's component type.
template <class R, class F, class T, int N, class... A>
DEVQ_FN vec<R, N> devq_whole(F f, vec<T, N> a, A... rest) {
    return {devq_raw{}, (typename devq_native<R, N>::type)(f(a.v, rest.v...))};
}
// The same for comparisons: -1 where true.
template <class F, class T, int N, class... A>
DEVQ_FN vec<typename devq_scalar<T>::signed_type, N> devq_compare(F f, vec<T, N> a, A... rest) {
    typedef typename devq_scalar<T>::signed_type mask;
    return {devq_raw{}, (typename devq_native<mask, N>::type)(f(a.v, rest.v...))};
}
template <class T, int N>
DEVQ_FN vec<T, N> devq_load(const T* p) {
    vec<T, N> r;
    if constexpr (N == 3) {
        for (int i = 0; i < 3; ++i)
            r.v[i] = p[i];
    } else {
        r.v = *(const typename devq_native<T, N>::loose*)p;
    }
    return r;
}
template <class T, int N>
DEVQ_FN void devq_store(vec<T, N> x, T* p) {
    if constexpr (N == 3) {
        for (int i = 0; i < 3; ++i)
            p[i] = x.v[i];
    } else {
        *(typename devq_native<T, N>::loose*)p = x.v;
    }
}
template <class To, class T, int N>
DEVQ_FN vec<To, N> devq_cast(vec<T, N> x) {
    return {devq_raw{}, __builtin_convertvector(x.v, typename devq_native<To, N>::type)};
}
// The highest bit of c decides.
template <class M, class T, int N>
DEVQ_FN vec<T, N> devq_choose_lanes(vec<M, N> c, vec<T, N> yes, vec<T, N> no) {
    static_assert(sizeof(M) == sizeof(T), "the condition's components must have the values' size");
    typedef typename devq_scalar<T>::signed_type mask;
    typedef typename devq_native<mask, N>::type native;
    return {devq_raw{}, (native)c.v < native{} ? yes.v : no.v};
}
template <class T, int N>
DEVQ_FN vec<T, 2 * N> devq_join(vec<T, N> a, vec<T, N> b) {
    if constexpr (N == 2)
        return {devq_raw{}, __builtin_shufflevector(a.v, b.v, 0, 1, 2, 3)};
    else if constexpr (N == 4)
        return {devq_raw{}, __builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7)};
    else
        return {devq_raw{}, __builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
}
template <class V, class... A>
DEVQ_FN constexpr V devq_from_lanes(A... lanes) {
    return {devq_raw{}, typename V::native{lanes...}};
}
