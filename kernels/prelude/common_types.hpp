// For both C++ targets: scalar types, traits, and the macros that the rewritten text uses. No header is included.
DEVQ_UNIT_BEGIN

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
struct half {
    ushort devq_bits; // storage only: no arithmetic
};
struct event_t {
    event_t() = default;
    DEVQ_INLINE constexpr event_t(int) {} // (event_t)0: no event
};

template <class T>
using devq_type = T;
template <bool C, class T = void>
struct devq_enable {};
template <class T>
struct devq_enable<true, T> {
    typedef T type;
};
template <class T>
struct devq_same {
    typedef T type; // a parameter of type devq_same<T>::type takes no part in deduction
};
template <class A, class B>
struct devq_is_same {
    static constexpr bool value = false;
};
template <class A>
struct devq_is_same<A, A> {
    static constexpr bool value = true;
};

template <class T>
struct devq_is_pointer {
    static constexpr bool value = false;
};
template <class T>
struct devq_is_pointer<T*> {
    static constexpr bool value = true;
};

// What is known of a scalar type: its kind, the types of its size, its extremes.
template <class T>
struct devq_scalar {
    static constexpr bool known = false, floating = false;
};
#define DEVQ_SCALAR(T, FLOATING, UNSIGNED, SIGNED, LEAST, MOST)                                                        \
    template <>                                                                                                        \
    struct devq_scalar<T> {                                                                                            \
        static constexpr bool known = true, floating = FLOATING, is_unsigned = devq_is_same<T, UNSIGNED>::value;       \
        typedef SIGNED signed_type;                                                                                    \
        typedef UNSIGNED unsigned_type;                                                                                \
        static constexpr T least = LEAST, most = MOST;                                                                 \
    };
DEVQ_SCALAR(bool, false, bool, char, false, true)
DEVQ_SCALAR(char, false, uchar, char, -128, 127)
DEVQ_SCALAR(uchar, false, uchar, char, 0, 255)
DEVQ_SCALAR(short, false, ushort, short, -32768, 32767)
DEVQ_SCALAR(ushort, false, ushort, short, 0, 65535)
DEVQ_SCALAR(int, false, uint, int, -2147483647 - 1, 2147483647)
DEVQ_SCALAR(uint, false, uint, int, 0, 4294967295u)
DEVQ_SCALAR(long, false, ulong, long, -9223372036854775807l - 1, 9223372036854775807l)
DEVQ_SCALAR(ulong, false, ulong, long, 0, 18446744073709551615ul)
DEVQ_SCALAR(float, true, uint, int, -3.402823466e+38f, 3.402823466e+38f)
DEVQ_SCALAR(double, true, ulong, long, -1.7976931348623157e+308, 1.7976931348623157e+308)
#undef DEVQ_SCALAR

// Has a type where a scalar S stands for a vector of T by itself: not where a fraction would be lost.
template <class S, class T>
struct devq_widens : devq_enable<devq_scalar<S>::known && (devq_scalar<T>::floating || !devq_scalar<S>::floating)> {};

template <int... I>
struct devq_lanes {};
struct devq_lo {};
struct devq_hi {};
struct devq_even {};
struct devq_odd {};

// 0, 1, ..., N-1 times STEP plus FIRST.
template <int N, int FIRST, int STEP, int... I>
struct devq_range : devq_range<N - 1, FIRST, STEP, FIRST + STEP*(N - 1), I...> {};
template <int FIRST, int STEP, int... I>
struct devq_range<0, FIRST, STEP, I...> {
    typedef devq_lanes<I...> type;
};

// c ? a : b, where c may be a vector (then both sides are evaluated, as OpenCL has it).
template <class C, class A, class B>
DEVQ_FN auto devq_choose(C condition, A yes, B no) {
    if constexpr (devq_scalar<C>::known)
        return condition ? yes() : no();
    else
        return devq_choose_lanes(condition, yes(), no());
}
#define DEVQ_SELECT(c, a, b)                                                                                           \
    devq_choose(                                                                                                       \
        c, [&]() { return a; }, [&]() { return b; })

// a << DEVQ_SHIFT << b shifts by b modulo the width of a, with the operators' own precedence.
struct devq_shift_tag {};
static constexpr devq_shift_tag DEVQ_SHIFT{};
template <class A>
struct devq_shifted {
    A value;
};
template <class B>
struct devq_shift_count {
    B value;
};
template <class A>
DEVQ_FN constexpr devq_shifted<A> operator<<(A value, devq_shift_tag) {
    return {value};
}
template <class A>
DEVQ_FN constexpr devq_shifted<A> operator>>(A value, devq_shift_tag) {
    return {value};
}
template <class A, class B>
DEVQ_FN constexpr auto operator<<(devq_shifted<A> a, B b) {
    if constexpr (devq_scalar<A>::known)
        return a.value << (b & static_cast<B>(8 * sizeof(+a.value) - 1));
    else
        return a.value << b;
}
template <class A, class B>
DEVQ_FN constexpr auto operator>>(devq_shifted<A> a, B b) {
    if constexpr (devq_scalar<A>::known)
        return a.value >> (b & static_cast<B>(8 * sizeof(+a.value) - 1));
    else
        return a.value >> b;
}
template <class B>
DEVQ_FN devq_shift_count<B> operator<<=(devq_shift_tag, B b) {
    return {b};
}
template <class B>
DEVQ_FN devq_shift_count<B> operator>>=(devq_shift_tag, B b) {
    return {b};
}
template <class A, class B>
DEVQ_FN A& operator<<=(A& a, devq_shift_count<B> b) {
    return a = static_cast<A>((a << DEVQ_SHIFT) << b.value);
}
template <class A, class B>
DEVQ_FN A& operator>>=(A& a, devq_shift_count<B> b) {
    return a = static_cast<A>((a >> DEVQ_SHIFT) >> b.value);
}

// a / DEVQ_DIVIDE / b divides integers without a trap where OpenCL leaves the result undefined: x / 0 is x, x % 0 is 0,
// and the least number by -1 is itself, remainder 0. Anything else is divided as it is.
template <class T>
DEVQ_FN constexpr T devq_divisor_for(T x, T y) {
    if constexpr (devq_scalar<T>::is_unsigned)
        return y == 0 ? T(1) : y;
    else
        return (y == 0) | ((y == -1) & (x == devq_scalar<T>::least)) ? T(1) : y;
}
template <class A, class B>
struct devq_are_integers {
    static constexpr bool value =
        devq_scalar<A>::known && devq_scalar<B>::known && !devq_scalar<A>::floating && !devq_scalar<B>::floating;
};
struct devq_divide_tag {};
static constexpr devq_divide_tag DEVQ_DIVIDE{};
template <class A>
struct devq_dividend {
    A value;
};
template <class B>
struct devq_divisor {
    B value;
};
#define DEVQ_DIVISION(OP)                                                                                              \
    template <class A>                                                                                                 \
    DEVQ_FN constexpr devq_dividend<A> operator OP(A value, devq_divide_tag) {                                         \
        return {value};                                                                                                \
    }                                                                                                                  \
    template <class A, class B>                                                                                        \
    DEVQ_FN constexpr auto operator OP(devq_dividend<A> a, B b) {                                                      \
        if constexpr (devq_are_integers<A, B>::value) {                                                                \
            typedef decltype(a.value OP b) R;                                                                          \
            const R x = static_cast<R>(a.value);                                                                       \
            return x OP devq_divisor_for<R>(x, static_cast<R>(b));                                                     \
        } else {                                                                                                       \
            return a.value OP b;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    template <class B>                                                                                                 \
    DEVQ_FN devq_divisor<B> operator OP##=(devq_divide_tag, B b) {                                                     \
        return {b};                                                                                                    \
    }                                                                                                                  \
    template <class A, class B>                                                                                        \
    DEVQ_FN A& operator OP##=(A& a, devq_divisor<B> b) {                                                               \
        return a = static_cast<A>((a OP DEVQ_DIVIDE)OP b.value);                                                       \
    }
DEVQ_DIVISION(/)
DEVQ_DIVISION(%)
#undef DEVQ_DIVISION
