// The CUDA target's vectors: arrays of components, which the compiler keeps in registers. A component is v[i].
struct devq_raw {};
template <class T, int N, int... I>
struct devq_ref;

template <class T, int N>
struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec {
    typedef typename devq_scalar<T>::signed_type mask;
    static constexpr int stored = N == 3 ? 4 : N;
    T v[stored];

    vec() = default;
    template <class S, class = typename devq_widens<S, T>::type>
    DEVQ_INLINE constexpr vec(S s) : v{} {
        for (int i = 0; i < N; ++i)
            v[i] = static_cast<T>(s);
    }
    template <class... A>
    DEVQ_INLINE constexpr vec(devq_raw, A... lanes) : v{lanes...} {}

    template <int... I>
    DEVQ_INLINE vec<T, sizeof...(I)> get(devq_lanes<I...>) const {
        return {devq_raw{}, v[I]...};
    }
    template <int... I>
    DEVQ_INLINE devq_ref<T, N, I...> ref(devq_lanes<I...>) {
        return {*this};
    }
#define DEVQ_HALF(NAME, FIRST, STEP)                                                                                   \
    DEVQ_INLINE auto get(NAME) const {                                                                                 \
        if constexpr (N == 2)                                                                                          \
            return v[(FIRST)&1];                                                                                       \
        else                                                                                                           \
            return get(typename devq_range<stored / 2, FIRST, STEP>::type{});                                          \
    }                                                                                                                  \
    DEVQ_INLINE auto ref(NAME) { return ref(typename devq_range<stored / 2, FIRST, STEP>::type{}); }
    DEVQ_HALF(devq_lo, 0, 1)
    DEVQ_HALF(devq_hi, (stored / 2), 1)
    DEVQ_HALF(devq_even, 0, 2)
    DEVQ_HALF(devq_odd, 1, 2)
#undef DEVQ_HALF

#define DEVQ_BINARY(OP, RIGHT)                                                                                         \
    friend DEVQ_INLINE vec operator OP(vec a, vec b) {                                                                 \
        for (int i = 0; i < N; ++i)                                                                                    \
            a.v[i] = static_cast<T>(a.v[i] OP RIGHT);                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    DEVQ_INLINE vec& operator OP##=(vec b) { return *this = *this OP b; }
    DEVQ_BINARY(+, b.v[i])
    DEVQ_BINARY(-, b.v[i])
    DEVQ_BINARY(*, b.v[i])
    DEVQ_BINARY(/, DEVQ_DIVIDE / b.v[i])
    DEVQ_BINARY(%, DEVQ_DIVIDE % b.v[i])
    DEVQ_BINARY(&, b.v[i])
    DEVQ_BINARY(|, b.v[i])
    DEVQ_BINARY(^, b.v[i])
    DEVQ_BINARY(<<, (b.v[i] & T(8 * sizeof(T) - 1)))
    DEVQ_BINARY(>>, (b.v[i] & T(8 * sizeof(T) - 1)))
#undef DEVQ_BINARY
#define DEVQ_COMPARISON(OP)                                                                                            \
    friend DEVQ_INLINE vec<mask, N> operator OP(vec a, vec b) {                                                        \
        vec<mask, N> r;                                                                                                \
        for (int i = 0; i < N; ++i)                                                                                    \
            r.v[i] = a.v[i] OP b.v[i] ? -1 : 0;                                                                        \
        return r;                                                                                                      \
    }
    DEVQ_COMPARISON(==)
    DEVQ_COMPARISON(!=)
    DEVQ_COMPARISON(<)
    DEVQ_COMPARISON(<=)
    DEVQ_COMPARISON(>)
    DEVQ_COMPARISON(>=)
    DEVQ_COMPARISON(&&)
    DEVQ_COMPARISON(||)
#undef DEVQ_COMPARISON
    friend DEVQ_INLINE vec<mask, N> operator!(vec a) { return a == T(0); }
    friend DEVQ_INLINE vec operator-(vec a) {
        for (int i = 0; i < N; ++i)
            a.v[i] = static_cast<T>(-a.v[i]);
        return a;
    }
    friend DEVQ_INLINE vec operator+(vec a) { return a; }
    friend DEVQ_INLINE vec operator~(vec a) {
        for (int i = 0; i < N; ++i)
            a.v[i] = static_cast<T>(~a.v[i]);
        return a;
    }
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

template <class To, class From>
DEVQ_FN To devq_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "as_type needs types of one size");
    union {
        From from;
        To to;
    } both;
    both.from = x;
    return both.to;
}
template <class R, class F, class T, int N, class... A>
DEVQ_FN vec<R, N> devq_whole(F f, vec<T, N> a, A... rest) {
    vec<R, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = static_cast<R>(f(a.v[i], rest.v[i]...));
    return r;
}
template <class F, class T, int N, class... A>
DEVQ_FN vec<typename devq_scalar<T>::signed_type, N> devq_compare(F f, vec<T, N> a, A... rest) {
    vec<typename devq_scalar<T>::signed_type, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = f(a.v[i], rest.v[i]...) ? -1 : 0;
    return r;
}
template <class T, int N>
DEVQ_FN vec<T, N> devq_load(const T* p) {
    vec<T, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = p[i];
    return r;
}
template <class T, int N>
DEVQ_FN void devq_store(vec<T, N> x, T* p) {
    for (int i = 0; i < N; ++i)
        p[i] = x.v[i];
}
template <class To, class T, int N>
DEVQ_FN vec<To, N> devq_cast(vec<T, N> x) {
    vec<To, N> r;
    for (int i = 0; i < N; ++i)
        r.v[i] = static_cast<To>(x.v[i]);
    return r;
}
template <class M, class T, int N>
DEVQ_FN vec<T, N> devq_choose_lanes(vec<M, N> c, vec<T, N> yes, vec<T, N> no) {
    static_assert(sizeof(M) == sizeof(T), "the condition's components must have the values' size");
    typedef typename devq_scalar<M>::signed_type mask;
    for (int i = 0; i < N; ++i)
        no.v[i] = static_cast<mask>(c.v[i]) < 0 ? yes.v[i] : no.v[i];
    return no;
}
template <class T, int N>
DEVQ_FN vec<T, 2 * N> devq_join(vec<T, N> a, vec<T, N> b) {
    vec<T, 2 * N> r;
    for (int i = 0; i < N; ++i) {
        r.v[i] = a.v[i];
        r.v[N + i] = b.v[i];
    }
    return r;
}
template <class V, class... A>
DEVQ_FN constexpr V devq_from_lanes(A... lanes) {
    return {devq_raw{}, lanes...};
}
