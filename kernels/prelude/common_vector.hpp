// What both targets' vectors share: traits, names, literals, assignment to several components, application per lane.
template <class V>
struct devq_vector {
    static constexpr bool is = false;
    static constexpr int lanes = 1;
    typedef V element;
    template <class T>
    using with = T;
};
template <class T, int N>
struct devq_vector<vec<T, N>> {
    static constexpr bool is = true;
    static constexpr int lanes = N;
    typedef T element;
    template <class U>
    using with = vec<U, N>;
};

#define DEVQ_NAMES(T)                                                                                                  \
    typedef vec<T, 2> T##2;                                                                                            \
    typedef vec<T, 3> T##3;                                                                                            \
    typedef vec<T, 4> T##4;                                                                                            \
    typedef vec<T, 8> T##8;                                                                                            \
    typedef vec<T, 16> T##16;
DEVQ_NAMES(char)
DEVQ_NAMES(uchar)
DEVQ_NAMES(short)
DEVQ_NAMES(ushort)
DEVQ_NAMES(int)
DEVQ_NAMES(uint)
DEVQ_NAMES(long)
DEVQ_NAMES(ulong)
DEVQ_NAMES(float)
DEVQ_NAMES(double)
#undef DEVQ_NAMES

// f for each lane; a scalar counts as a vector of one.
template <class R, class F, class A, class... B>
DEVQ_FN auto devq_each(F f, A a, B... b) {
    if constexpr (devq_vector<A>::is) {
        vec<R, devq_vector<A>::lanes> r;
        for (int i = 0; i < devq_vector<A>::lanes; ++i)
            r.v[i] = f(a.v[i], b.v[i]...);
        return r;
    } else {
        return static_cast<R>(f(a, b...));
    }
}

// (float4)(…): scalars and vectors in order.
template <class T, class A>
DEVQ_FN void devq_put(T* lanes, int& at, A x) {
    if constexpr (devq_vector<A>::is) {
        for (int i = 0; i < devq_vector<A>::lanes; ++i)
            lanes[at++] = x.v[i];
    } else {
        lanes[at++] = static_cast<T>(x);
    }
}
template <class... A>
struct devq_count;
template <>
struct devq_count<> {
    static constexpr int value = 0;
};
template <class A, class... B>
struct devq_count<A, B...> {
    static constexpr int value = devq_vector<A>::lanes + devq_count<B...>::value;
};
template <class V, class A>
DEVQ_FN constexpr V devq_make(A x) {
    static_assert(!devq_vector<A>::is || devq_vector<A>::lanes == devq_vector<V>::lanes, "a vector of another length");
    if constexpr (devq_vector<A>::is)
        return devq_cast<typename devq_vector<V>::element>(x);
    else
        return V(static_cast<typename devq_vector<V>::element>(x));
}
template <class V, class A, class B, class... C>
DEVQ_FN constexpr V devq_make(A a, B b, C... c) {
    typedef typename devq_vector<V>::element T;
    constexpr int lanes = devq_vector<V>::lanes;
    static_assert(devq_count<A, B, C...>::value == lanes, "a vector literal needs one value for each component");
    if constexpr (sizeof...(C) + 2 == lanes) {
        return devq_from_lanes<V>(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)...);
    } else if constexpr (sizeof...(C) == 0 && lanes != 3 && devq_is_same<A, B>::value && devq_vector<A>::is) {
        return devq_join(a, b);
    } else {
        T put[lanes] = {};
        int at = 0;
        devq_put(put, at, a);
        devq_put(put, at, b);
        (devq_put(put, at, c), ...);
        V r;
        for (int i = 0; i < lanes; ++i)
            r.v[i] = put[i];
        return r;
    }
}

// v.xz = …: assigns to some components.
template <class T, int N, int... I>
struct devq_ref {
    vec<T, N>& target;
    typedef vec<T, sizeof...(I)> value;

    DEVQ_INLINE value read() const { return target.get(devq_lanes<I...>{}); }
    DEVQ_INLINE devq_ref& operator=(value x) {
        int at = 0;
        ((target.v[I] = x.v[at++]), ...);
        return *this;
    }
#define DEVQ_ASSIGN(OP)                                                                                                \
    template <class X>                                                                                                 \
    DEVQ_INLINE devq_ref& operator OP##=(X x) {                                                                        \
        return *this = read() OP x;                                                                                    \
    }
    DEVQ_ASSIGN(+)
    DEVQ_ASSIGN(-)
    DEVQ_ASSIGN(*)
    DEVQ_ASSIGN(/)
    DEVQ_ASSIGN(%)
    DEVQ_ASSIGN(&)
    DEVQ_ASSIGN(|)
    DEVQ_ASSIGN(^)
    DEVQ_ASSIGN(<<)
    DEVQ_ASSIGN(>>)
#undef DEVQ_ASSIGN
#define DEVQ_ASSIGN(OP, OPERAND)                                                                                       \
    template <class X>                                                                                                 \
    DEVQ_INLINE devq_ref& operator OP##=(OPERAND<X> x) {                                                               \
        return *this = read() OP x.value;                                                                              \
    }
    DEVQ_ASSIGN(/, devq_divisor)
    DEVQ_ASSIGN(%, devq_divisor)
    DEVQ_ASSIGN(<<, devq_shift_count)
    DEVQ_ASSIGN(>>, devq_shift_count)
#undef DEVQ_ASSIGN
    DEVQ_INLINE devq_ref& operator++() { return *this += value(T(1)); }
    DEVQ_INLINE devq_ref& operator--() { return *this -= value(T(1)); }
    DEVQ_INLINE void operator++(int) { *this += value(T(1)); }
    DEVQ_INLINE void operator--(int) { *this -= value(T(1)); }
};
template <class T, int N, int I>
struct devq_ref<T, N, I> { // one component
    vec<T, N>& target;
    DEVQ_INLINE devq_ref& operator=(T x) {
        target.v[I] = x;
        return *this;
    }
#define DEVQ_ASSIGN(OP)                                                                                                \
    DEVQ_INLINE devq_ref& operator OP##=(T x) { return *this = static_cast<T>(target.v[I] OP x); }
    DEVQ_ASSIGN(+)
    DEVQ_ASSIGN(-)
    DEVQ_ASSIGN(*)
    DEVQ_ASSIGN(/)
    DEVQ_ASSIGN(%)
    DEVQ_ASSIGN(&)
    DEVQ_ASSIGN(|)
    DEVQ_ASSIGN(^)
    DEVQ_ASSIGN(<<)
    DEVQ_ASSIGN(>>)
#undef DEVQ_ASSIGN
#define DEVQ_ASSIGN(OP, GUARD, OPERAND)                                                                                \
    template <class X>                                                                                                 \
    DEVQ_INLINE devq_ref& operator OP##=(OPERAND<X> x) {                                                               \
        return *this = static_cast<T>((T(target.v[I]) OP GUARD)OP x.value);                                            \
    }
    DEVQ_ASSIGN(/, DEVQ_DIVIDE, devq_divisor)
    DEVQ_ASSIGN(%, DEVQ_DIVIDE, devq_divisor)
    DEVQ_ASSIGN(<<, DEVQ_SHIFT, devq_shift_count)
    DEVQ_ASSIGN(>>, DEVQ_SHIFT, devq_shift_count)
#undef DEVQ_ASSIGN
    DEVQ_INLINE devq_ref& operator++() { return *this += T(1); }
    DEVQ_INLINE devq_ref& operator--() { return *this -= T(1); }
    DEVQ_INLINE void operator++(int) { *this += T(1); }
    DEVQ_INLINE void operator--(int) { *this -= T(1); }
};

template <class M, class A, class B>
DEVQ_FN auto devq_choose_lanes(M c, A yes, B no) {
    // one side may be a scalar, which counts for all lanes
    if constexpr (devq_vector<A>::is)
        return devq_choose_lanes(c, yes, A(no));
    else if constexpr (devq_vector<B>::is)
        return devq_choose_lanes(c, B(yes), no);
    else
        return devq_choose_lanes(c, typename devq_vector<M>::template with<A>(yes),
                                 typename devq_vector<M>::template with<A>(no));
}

// ---- one definition for scalars of type T and their vectors; of a scalar before a vector is made a vector ----
#define DEVQ_WHOLE1(NAME, T, EXPRESSION)                                                                               \
    DEVQ_FN T NAME(T a) { return static_cast<T>(EXPRESSION); }                                                         \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x) {                                                                              \
        return devq_whole<T>([](DEVQ_LANES(T) a) { return EXPRESSION; }, x);                                           \
    }
#define DEVQ_WHOLE2(NAME, T, EXPRESSION)                                                                               \
    DEVQ_FN T NAME(T a, T b) { return static_cast<T>(EXPRESSION); }                                                    \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y) {                                       \
        return devq_whole<T>([](DEVQ_LANES(T) a, DEVQ_LANES(T) b) { return EXPRESSION; }, x, y);                       \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> NAME(T x, vec<T, N> y) {                                                                         \
        return NAME(vec<T, N>(x), y);                                                                                  \
    }
#define DEVQ_WHOLE3(NAME, T, EXPRESSION)                                                                               \
    DEVQ_FN T NAME(T a, T b, T c) { return static_cast<T>(EXPRESSION); }                                               \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y,                                         \
                           typename devq_same<vec<T, N>>::type z) {                                                    \
        return devq_whole<T>([](DEVQ_LANES(T) a, DEVQ_LANES(T) b, DEVQ_LANES(T) c) { return EXPRESSION; }, x, y, z);   \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<T, N> NAME(T x, vec<T, N> y, typename devq_same<vec<T, N>>::type z) {                                  \
        return NAME(vec<T, N>(x), y, z);                                                                               \
    }
#define DEVQ_EACH1(NAME, R, T, EXPRESSION)                                                                             \
    DEVQ_FN R NAME(T a) { return static_cast<R>(EXPRESSION); }                                                         \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> NAME(vec<T, N> x) {                                                                              \
        return devq_each<R>([](T a) { return static_cast<R>(EXPRESSION); }, x);                                        \
    }
#define DEVQ_EACH2(NAME, R, T, EXPRESSION)                                                                             \
    DEVQ_FN R NAME(T a, T b) { return static_cast<R>(EXPRESSION); }                                                    \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y) {                                       \
        return devq_each<R>([](T a, T b) { return static_cast<R>(EXPRESSION); }, x, y);                                \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> NAME(T x, vec<T, N> y) {                                                                         \
        return NAME(vec<T, N>(x), y);                                                                                  \
    }
#define DEVQ_EACH3(NAME, R, T, EXPRESSION)                                                                             \
    DEVQ_FN R NAME(T a, T b, T c) { return static_cast<R>(EXPRESSION); }                                               \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> NAME(vec<T, N> x, typename devq_same<vec<T, N>>::type y,                                         \
                           typename devq_same<vec<T, N>>::type z) {                                                    \
        return devq_each<R>([](T a, T b, T c) { return static_cast<R>(EXPRESSION); }, x, y, z);                        \
    }                                                                                                                  \
    template <int N>                                                                                                   \
    DEVQ_FN vec<R, N> NAME(T x, vec<T, N> y, typename devq_same<vec<T, N>>::type z) {                                  \
        return NAME(vec<T, N>(x), y, z);                                                                               \
    }
#define DEVQ_INTEGERS(MACRO)                                                                                           \
    MACRO(char) MACRO(uchar) MACRO(short) MACRO(ushort) MACRO(int) MACRO(uint) MACRO(long) MACRO(ulong)
#define DEVQ_FLOATS(MACRO) MACRO(float) MACRO(double)
