// Arithmetic, comparisons and atomics, for all lanes at once.
#include "ptx_ops.hpp"
#include <cfenv>
#include <cmath>
#include <mutex>
#include <unordered_map>

namespace virtual_cuda {

namespace {

template <class T>
constexpr bool is_float = std::is_floating_point_v<T>;
/// Arithmetic of whole numbers wraps.
template <class T>
using Wrapping = std::conditional_t<is_float<T>, T, u64>;

/// All lanes at once are the rule: the loops over them are such that compilers make vectors of them. Each operation is
/// there twice, once for processors with AVX2; the same bits come out.
#ifdef __x86_64__
#define VIRTUAL_CUDA_WIDE __attribute__((target("avx2,fma")))
bool has_wide() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
#else
#define VIRTUAL_CUDA_WIDE
bool has_wide() { return false; }
#endif

constexpr int lane_count = 32;
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, u8,
                       std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>>;
template <class T>
struct Lanes {
    T values[lane_count];

    [[gnu::always_inline]] static Lanes of(const u64* row) {
        BitsOf<T> bits[lane_count];
        for (int lane = 0; lane < lane_count; ++lane)
            bits[lane] = static_cast<BitsOf<T>>(row[lane]);
        Lanes made;
        std::memcpy(made.values, bits, sizeof bits);
        return made;
    }
    [[gnu::always_inline]] void to(u64* row) const {
        BitsOf<T> bits[lane_count];
        std::memcpy(bits, values, sizeof bits);
        for (int lane = 0; lane < lane_count; ++lane)
            row[lane] = bits[lane];
    }
};

template <class R, class T, auto F>
[[gnu::always_inline]] inline void apply_unary(Warp& warp, const Instruction& i, u32 lanes) {
    if (lanes == all_lanes) {
        const auto a = Lanes<T>::of(warp.row(i.operands[1]));
        Lanes<R> result;
        for (int lane = 0; lane < lane_count; ++lane)
            result.values[lane] = static_cast<R>(F(a.values[lane]));
        return result.to(warp.row(i.operands[0]));
    }
    each_lane(lanes,
              [&](int lane) { warp.set<R>(i.operands[0], lane, static_cast<R>(F(warp.get<T>(i.operands[1], lane)))); });
}
template <class R, class T, auto F>
[[gnu::always_inline]] inline void apply_binary(Warp& warp, const Instruction& i, u32 lanes) {
    if (lanes == all_lanes) {
        const auto a = Lanes<T>::of(warp.row(i.operands[1])), b = Lanes<T>::of(warp.row(i.operands[2]));
        Lanes<R> result;
        for (int lane = 0; lane < lane_count; ++lane)
            result.values[lane] = static_cast<R>(F(a.values[lane], b.values[lane]));
        return result.to(warp.row(i.operands[0]));
    }
    each_lane(lanes, [&](int lane) {
        warp.set<R>(i.operands[0], lane,
                    static_cast<R>(F(warp.get<T>(i.operands[1], lane), warp.get<T>(i.operands[2], lane))));
    });
}
template <class R, class T, auto F>
[[gnu::always_inline]] inline void apply_ternary(Warp& warp, const Instruction& i, u32 lanes) {
    if (lanes == all_lanes) {
        const auto a = Lanes<T>::of(warp.row(i.operands[1])), b = Lanes<T>::of(warp.row(i.operands[2]));
        const auto c = Lanes<R>::of(warp.row(i.operands[3]));
        Lanes<R> result;
        for (int lane = 0; lane < lane_count; ++lane)
            result.values[lane] = static_cast<R>(F(a.values[lane], b.values[lane], c.values[lane]));
        return result.to(warp.row(i.operands[0]));
    }
    each_lane(lanes, [&](int lane) {
        warp.set<R>(i.operands[0], lane,
                    static_cast<R>(F(warp.get<T>(i.operands[1], lane), warp.get<T>(i.operands[2], lane),
                                     warp.get<R>(i.operands[3], lane))));
    });
}
template <class R, class T, auto F>
Operation unary() {
    struct Wide {
        VIRTUAL_CUDA_WIDE static void run(Warp& warp, const Instruction& i, u32 lanes) {
            apply_unary<R, T, F>(warp, i, lanes);
        }
    };
    return has_wide() ? Wide::run : apply_unary<R, T, F>;
}
template <class R, class T, auto F>
Operation binary() {
    struct Wide {
        VIRTUAL_CUDA_WIDE static void run(Warp& warp, const Instruction& i, u32 lanes) {
            apply_binary<R, T, F>(warp, i, lanes);
        }
    };
    return has_wide() ? Wide::run : apply_binary<R, T, F>;
}
template <class R, class T, auto F>
Operation ternary() {
    struct Wide {
        VIRTUAL_CUDA_WIDE static void run(Warp& warp, const Instruction& i, u32 lanes) {
            apply_ternary<R, T, F>(warp, i, lanes);
        }
    };
    return has_wide() ? Wide::run : apply_ternary<R, T, F>;
}

constexpr auto add = []<class T>(T a, T b) { return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b)); };
constexpr auto sub = []<class T>(T a, T b) { return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b)); };
constexpr auto mul = []<class T>(T a, T b) { return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b)); };
constexpr auto divide = []<class T>(T a, T b) {
    if constexpr (is_float<T>)
        return a / b;
    else if constexpr (std::is_signed_v<T>)
        return b == 0    ? static_cast<T>(-1)
               : b == -1 ? static_cast<T>(u64{0} - static_cast<u64>(a))
                         : static_cast<T>(a / b);
    else
        return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(a / b);
};
constexpr auto remainder_of = []<class T>(T a, T b) {
    if (b == 0)
        return a;
    if constexpr (std::is_signed_v<T>)
        if (b == -1)
            return T{0};
    return static_cast<T>(a % b);
};
// One NaN gives way to a number.
constexpr auto least = []<class T>(T a, T b) {
    if constexpr (is_float<T>)
        return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
    else
        return a < b ? a : b;
};
constexpr auto most = []<class T>(T a, T b) {
    if constexpr (is_float<T>)
        return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
    else
        return a > b ? a : b;
};
constexpr auto negate = []<class T>(T a) {
    if constexpr (is_float<T>)
        return -a;
    else
        return static_cast<T>(u64{0} - static_cast<u64>(a));
};
constexpr auto absolute = []<class T>(T a) {
    if constexpr (is_float<T>)
        return std::fabs(a);
    else
        return a < 0 ? static_cast<T>(u64{0} - static_cast<u64>(a)) : a;
};
constexpr auto bit_and = []<class T>(T a, T b) { return static_cast<T>(a & b); };
constexpr auto bit_or = []<class T>(T a, T b) { return static_cast<T>(a | b); };
constexpr auto bit_xor = []<class T>(T a, T b) { return static_cast<T>(a ^ b); };
constexpr auto bit_not = []<class T>(T a) { return static_cast<T>(~a); };
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;
constexpr auto high = []<class T>(T a, T b) {
    using Double = std::conditional_t<std::is_signed_v<T>, s128, u128>;
    return static_cast<T>((static_cast<Double>(a) * static_cast<Double>(b)) >> (8 * sizeof(T)));
};
constexpr auto wide = []<class T>(T a, T b) {
    return static_cast<s64>(static_cast<u64>(static_cast<s64>(a)) * static_cast<u64>(static_cast<s64>(b)));
};
constexpr auto wide_add = []<class T, class R>(T a, T b, R c) {
    return static_cast<R>(static_cast<u64>(wide(a, b)) + static_cast<u64>(c));
};
constexpr auto low_add = []<class T>(T a, T b, T c) {
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b) + static_cast<u64>(c));
};
constexpr auto fused = []<class T>(T a, T b, T c) { return std::fma(a, b, c); };

int mode_of(char rounding) {
    return rounding == 'm' ? FE_DOWNWARD : rounding == 'p' ? FE_UPWARD : rounding == 'z' ? FE_TOWARDZERO : FE_TONEAREST;
}

template <class T>
void fused_rounded(Warp& warp, const Instruction& i, u32 lanes) {
    const int before = std::fegetround();
    std::fesetround(mode_of(i.rounding));
    each_lane(lanes, [&](int lane) {
        volatile T a = warp.get<T>(i.operands[1], lane), b = warp.get<T>(i.operands[2], lane),
                   c = warp.get<T>(i.operands[3], lane);
        warp.set<T>(i.operands[0], lane, std::fma(a, b, c));
    });
    std::fesetround(before);
}

/// Amounts beyond the width count as the width.
template <class T, bool LEFT>
[[gnu::always_inline]] inline void apply_shift(Warp& warp, const Instruction& i, u32 lanes) {
    constexpr u32 bits = 8 * sizeof(T);
    const auto shifted = [](T value, u32 by) {
        const u32 least_by = std::min(by, bits - 1);
        const T moved =
            static_cast<T>(LEFT ? static_cast<u64>(value) << least_by : static_cast<u64>(value >> least_by));
        const T beyond = !LEFT && std::is_signed_v<T> && value < 0 ? static_cast<T>(-1) : T{0};
        return by < bits ? moved : beyond;
    };
    if (lanes == all_lanes) {
        const auto a = Lanes<T>::of(warp.row(i.operands[1]));
        const auto by = Lanes<u32>::of(warp.row(i.operands[2]));
        Lanes<T> result;
        for (int lane = 0; lane < lane_count; ++lane)
            result.values[lane] = shifted(a.values[lane], by.values[lane]);
        return result.to(warp.row(i.operands[0]));
    }
    each_lane(lanes, [&](int lane) {
        warp.set<T>(i.operands[0], lane, shifted(warp.get<T>(i.operands[1], lane), warp.get<u32>(i.operands[2], lane)));
    });
}
template <class T, bool LEFT>
Operation shift() {
    struct Wide {
        VIRTUAL_CUDA_WIDE static void run(Warp& warp, const Instruction& i, u32 lanes) {
            apply_shift<T, LEFT>(warp, i, lanes);
        }
    };
    return has_wide() ? Wide::run : apply_shift<T, LEFT>;
}

template <class T>
T field_mask(u32 length) {
    return length >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
}
/// Operands: result, what is inserted, into what, where, how many bits.
template <class T>
void insert(Warp& warp, const Instruction& i, u32 lanes) {
    each_lane(lanes, [&](int lane) {
        const T from = warp.get<T>(i.operands[1], lane), into = warp.get<T>(i.operands[2], lane);
        const u32 at = warp.get<u32>(i.operands[3], lane) & 255, length = warp.get<u32>(i.operands[4], lane) & 255;
        const T mask = at < 8 * sizeof(T) ? static_cast<T>(field_mask<T>(length) << at) : T{0};
        warp.set<T>(i.operands[0], lane, static_cast<T>((into & ~mask) | (mask != 0 ? (from << at) & mask : 0)));
    });
}
template <class T>
void extract(Warp& warp, const Instruction& i, u32 lanes) {
    using Bits = std::make_unsigned_t<T>;
    constexpr u32 width = 8 * sizeof(T);
    each_lane(lanes, [&](int lane) {
        const auto from = warp.get<Bits>(i.operands[1], lane);
        const u32 at = warp.get<u32>(i.operands[2], lane) & 255, length = warp.get<u32>(i.operands[3], lane) & 255;
        Bits result = at < width ? static_cast<Bits>(from >> at) & field_mask<Bits>(length) : Bits{0};
        const u32 top = std::min(at + length - 1, width - 1);
        if (std::is_signed_v<T> && length > 0 && length < width && (from >> top & 1) != 0)
            result |= static_cast<Bits>(~field_mask<Bits>(at < width ? std::min(length, width - at) : 0));
        warp.set<Bits>(i.operands[0], lane, result);
    });
}
/// Shifts the two words as one; the result is the upper one to the left, the lower one to the right.
template <bool LEFT, bool WRAP>
void funnel_shift(Warp& warp, const Instruction& i, u32 lanes) {
    each_lane(lanes, [&](int lane) {
        const u64 words = warp.get<u32>(i.operands[1], lane) | static_cast<u64>(warp.get<u32>(i.operands[2], lane))
                                                                   << 32;
        const u32 wanted = warp.get<u32>(i.operands[3], lane), by = WRAP ? wanted & 31 : std::min(wanted, 32u);
        warp.set<u32>(i.operands[0], lane, static_cast<u32>(LEFT ? words << by >> 32 : words >> by));
    });
}
/// Adds products of the COUNT parts of one word with bytes of the other, from FIRST on.
template <class Part, u32 COUNT, u32 FIRST>
void dot_product(Warp& warp, const Instruction& i, u32 lanes) {
    each_lane(lanes, [&](int lane) {
        const u32 parts = warp.get<u32>(i.operands[1], lane), bytes = warp.get<u32>(i.operands[2], lane);
        u32 sum = warp.get<u32>(i.operands[3], lane);
        for (u32 p = 0; p < COUNT; ++p) {
            const auto part = static_cast<s32>(static_cast<Part>(parts >> 8 * sizeof(Part) * p));
            const u32 byte = bytes >> 8 * (FIRST + p) & 255;
            const bool negative = i.source_type == Type::s32 && (byte & 128) != 0;
            sum += static_cast<u32>(part) * (negative ? byte - 256 : byte);
        }
        warp.set<u32>(i.operands[0], lane, sum);
    });
}
/// Picks four bytes of the eight in two registers; the top bit of a choice spreads the byte's sign.
void permute(Warp& warp, const Instruction& i, u32 lanes) {
    each_lane(lanes, [&](int lane) {
        const u64 bytes = warp.get<u32>(i.operands[1], lane) | static_cast<u64>(warp.get<u32>(i.operands[2], lane))
                                                                   << 32;
        const u32 choice = warp.get<u32>(i.operands[3], lane);
        u32 result = 0;
        for (u32 b = 0; b < 4; ++b) {
            const u32 which = choice >> 4 * b & 15;
            u32 byte = static_cast<u32>(bytes >> 8 * (which & 7)) & 255;
            if ((which & 8) != 0)
                byte = (byte & 128) != 0 ? 255 : 0;
            result |= byte << 8 * b;
        }
        warp.set<u32>(i.operands[0], lane, result);
    });
}

enum Comparison : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan_ };

/// Calls `with` what compares two values so.
template <class T, class With>
[[gnu::always_inline]] inline void with_comparison(u8 comparison, With&& with) {
    const auto unordered = [](T a, T b) { return a != a || b != b; };
    if constexpr (is_float<T>) {
        switch (comparison) {
        case ne:
            return with([=](T a, T b) { return a != b && !unordered(a, b); });
        case equ:
            return with([=](T a, T b) { return unordered(a, b) || a == b; });
        case ltu:
            return with([=](T a, T b) { return unordered(a, b) || a < b; });
        case leu:
            return with([=](T a, T b) { return unordered(a, b) || a <= b; });
        case gtu:
            return with([=](T a, T b) { return unordered(a, b) || a > b; });
        case geu:
            return with([=](T a, T b) { return unordered(a, b) || a >= b; });
        case num:
            return with([=](T a, T b) { return !unordered(a, b); });
        case nan_:
            return with(unordered);
        default:
            break;
        }
    }
    switch (comparison) {
    case eq:
        return with([](T a, T b) { return a == b; });
    case lt:
        return with([](T a, T b) { return a < b; });
    case le:
        return with([](T a, T b) { return a <= b; });
    case gt:
        return with([](T a, T b) { return a > b; });
    case ge:
        return with([](T a, T b) { return a >= b; });
    default: // ne; neu
        return with([](T a, T b) { return a != b; });
    }
}
template <class T>
[[gnu::always_inline]] inline void apply_compare(Warp& warp, const Instruction& i, u32 lanes) {
    with_comparison<T>(i.variant, [&](auto holds) {
        if (lanes == all_lanes && i.rounding == 'n') {
            const auto a = Lanes<T>::of(warp.row(i.operands[1])), b = Lanes<T>::of(warp.row(i.operands[2]));
            Lanes<BitsOf<T>> result;
            for (int lane = 0; lane < lane_count; ++lane)
                result.values[lane] = holds(a.values[lane], b.values[lane]);
            return result.to(warp.row(i.operands[0]));
        }
        each_lane(lanes, [&](int lane) {
            bool result = holds(warp.get<T>(i.operands[1], lane), warp.get<T>(i.operands[2], lane));
            if (i.rounding != 'n') { // combined with a predicate
                const bool other = (warp.at(i.operands[3], lane) & 1) != 0;
                result = i.rounding == '&' ? result && other : i.rounding == '|' ? result || other : result != other;
            }
            warp.at(i.operands[0], lane) = result;
        });
    });
}
template <class T>
Operation compare() {
    struct Wide {
        VIRTUAL_CUDA_WIDE static void run(Warp& warp, const Instruction& i, u32 lanes) {
            apply_compare<T>(warp, i, lanes);
        }
    };
    return has_wide() ? Wide::run : apply_compare<T>;
}

template <class T>
void select(Warp& warp, const Instruction& i, u32 lanes) {
    if (lanes == all_lanes) {
        const auto a = Lanes<BitsOf<T>>::of(warp.row(i.operands[1])), b = Lanes<BitsOf<T>>::of(warp.row(i.operands[2]));
        const auto first = Lanes<BitsOf<T>>::of(warp.row(i.operands[3]));
        Lanes<BitsOf<T>> result;
        for (int lane = 0; lane < lane_count; ++lane)
            result.values[lane] = (first.values[lane] & 1) != 0 ? a.values[lane] : b.values[lane];
        return result.to(warp.row(i.operands[0]));
    }
    each_lane(lanes, [&](int lane) {
        const u32 from = (warp.at(i.operands[3], lane) & 1) != 0 ? i.operands[1] : i.operands[2];
        warp.set<T>(i.operands[0], lane, warp.get<T>(from, lane));
    });
}

enum Atomic : u8 { a_add, a_min, a_max, a_and, a_or, a_xor, a_exch, a_cas, a_inc, a_dec };

template <class T>
T changed(u8 how, T old, T value, T other) {
    switch (how) {
    case a_add:
        return add(old, value);
    case a_min:
        return least(old, value);
    case a_max:
        return most(old, value);
    case a_exch:
        return value;
    default:
        break;
    }
    if constexpr (!is_float<T>) {
        switch (how) {
        case a_and:
            return old & value;
        case a_or:
            return old | value;
        case a_xor:
            return old ^ value;
        case a_cas:
            return old == value ? other : old;
        case a_inc:
            return old >= value ? 0 : old + 1;
        case a_dec:
            return old == 0 || old > value ? value : old - 1;
        default:
            break;
        }
    }
    return old;
}
/// Operands: result (where there is one), address, value, and for cas the new value.
template <class T, bool RESULT>
void atomic(Warp& warp, const Instruction& i, u32 lanes) {
    static std::mutex one; // blocks run on several threads
    const std::lock_guard lock(one);
    each_lane(lanes, [&](int lane) {
        const u64 address = warp.at(i.operands[RESULT], lane) + static_cast<u64>(i.offset);
        std::byte* place = warp.address(address, i.space, sizeof(T), lane, Access::atomic);
        T old;
        std::memcpy(&old, place, sizeof old);
        const T value = warp.get<T>(i.operands[RESULT + 1], lane);
        const T now =
            changed(i.variant, old, value, i.count > RESULT + 2 ? warp.get<T>(i.operands[RESULT + 2], lane) : T{});
        std::memcpy(place, &now, sizeof now);
        if (RESULT)
            warp.set<T>(i.operands[0], lane, old);
    });
}

using Table = std::unordered_map<std::string, Operation>;

template <class T>
void whole_numbers(Table& table, const std::string& type) {
    table["add." + type] = binary<T, T, add>();
    table["sub." + type] = binary<T, T, sub>();
    table["mul.lo." + type] = binary<T, T, mul>();
    table["mul.hi." + type] = binary<T, T, high>();
    table["mad.lo." + type] = ternary<T, T, low_add>();
    table["div." + type] = binary<T, T, divide>();
    table["rem." + type] = binary<T, T, remainder_of>();
    table["min." + type] = binary<T, T, least>();
    table["max." + type] = binary<T, T, most>();
    table["shr." + type] = shift<T, false>();
    table["setp." + type] = compare<T>();
    table["selp." + type] = select<T>;
    table["mov." + type] = move;
    if constexpr (std::is_signed_v<T>) {
        table["neg." + type] = unary<T, T, negate>();
        table["abs." + type] = unary<T, T, absolute>();
    }
    if constexpr (sizeof(T) >= 4) {
        table["atom." + type] = atomic<T, true>;
        table["red." + type] = atomic<T, false>;
    }
}
template <class T>
void bits(Table& table, const std::string& type) {
    table["and." + type] = binary<T, T, bit_and>();
    table["or." + type] = binary<T, T, bit_or>();
    table["xor." + type] = binary<T, T, bit_xor>();
    table["not." + type] = unary<T, T, bit_not>();
    table["shl." + type] = shift<T, true>();
    table["shr." + type] = shift<T, false>();
    table["setp." + type] = compare<T>();
    table["selp." + type] = select<T>;
    table["mov." + type] = move;
    table["popc." + type] = unary<u32, T, [](auto a) { return std::popcount(a); }>();
    table["clz." + type] = unary<u32, T, [](auto a) { return std::countl_zero(a); }>();
    if constexpr (sizeof(T) >= 4) {
        table["atom." + type] = atomic<T, true>;
        table["red." + type] = atomic<T, false>;
    }
}
template <class T>
void floats(Table& table, const std::string& type) {
    table["add." + type] = binary<T, T, add>();
    table["sub." + type] = binary<T, T, sub>();
    table["mul." + type] = binary<T, T, mul>();
    table["div." + type] = binary<T, T, divide>();
    table["min." + type] = binary<T, T, least>();
    table["max." + type] = binary<T, T, most>();
    table["fma." + type] = ternary<T, T, fused>();
    table["mad." + type] = ternary<T, T, fused>();
    table["neg." + type] = unary<T, T, negate>();
    table["abs." + type] = unary<T, T, absolute>();
    table["sqrt." + type] = unary<T, T, [](auto a) { return std::sqrt(a); }>();
    table["rsqrt." + type] = unary<T, T, [](auto a) { return 1 / std::sqrt(a); }>();
    table["rcp." + type] = unary<T, T, [](auto a) { return 1 / a; }>();
    table["copysign." + type] = binary<T, T, [](auto a, auto b) { return std::copysign(b, a); }>();
    table["setp." + type] = compare<T>();
    table["selp." + type] = select<T>;
    table["mov." + type] = move;
    table["atom." + type] = atomic<T, true>;
    table["red." + type] = atomic<T, false>;
}

/// Keys are opcodes without what makes no difference here: "add.f32", "mul.lo.s32", "setp.s32".
const Table& table() {
    static const Table made = [] {
        Table t;
        whole_numbers<u16>(t, "u16");
        whole_numbers<u32>(t, "u32");
        whole_numbers<u64>(t, "u64");
        whole_numbers<s16>(t, "s16");
        whole_numbers<s32>(t, "s32");
        whole_numbers<s64>(t, "s64");
        bits<u16>(t, "b16");
        bits<u32>(t, "b32");
        bits<u64>(t, "b64");
        floats<f32>(t, "f32");
        floats<f64>(t, "f64");
        t["mul.wide.u16"] = binary<u32, u16, wide>();
        t["mul.wide.s16"] = binary<s32, s16, wide>();
        t["mul.wide.u32"] = binary<u64, u32, wide>();
        t["mul.wide.s32"] = binary<s64, s32, wide>();
        t["mad.wide.u32"] = ternary<u64, u32, wide_add>();
        t["mad.wide.s32"] = ternary<s64, s32, wide_add>();
        t["bfi.b32"] = insert<u32>;
        t["bfi.b64"] = insert<u64>;
        t["bfe.u32"] = extract<u32>;
        t["bfe.u64"] = extract<u64>;
        t["bfe.s32"] = extract<s32>;
        t["bfe.s64"] = extract<s64>;
        t["prmt.b32"] = permute;
        t["dp2a.lo.u32"] = dot_product<u16, 2, 0>;
        t["dp2a.hi.u32"] = dot_product<u16, 2, 2>;
        t["dp2a.lo.s32"] = dot_product<s16, 2, 0>;
        t["dp2a.hi.s32"] = dot_product<s16, 2, 2>;
        t["dp4a.u32"] = dot_product<u8, 4, 0>;
        t["dp4a.s32"] = dot_product<std::int8_t, 4, 0>;
        t["shf.l.wrap.b32"] = funnel_shift<true, true>;
        t["shf.l.clamp.b32"] = funnel_shift<true, false>;
        t["shf.r.wrap.b32"] = funnel_shift<false, true>;
        t["shf.r.clamp.b32"] = funnel_shift<false, false>;
        t["ex2.f32"] = unary<f32, f32, [](f32 a) { return std::exp2(a); }>();
        t["lg2.f32"] = unary<f32, f32, [](f32 a) { return std::log2(a); }>();
        t["sin.f32"] = unary<f32, f32, [](f32 a) { return std::sin(a); }>();
        t["cos.f32"] = unary<f32, f32, [](f32 a) { return std::cos(a); }>();
        t["tanh.f32"] = unary<f32, f32, [](f32 a) { return std::tanh(a); }>();
        t["and.pred"] = binary<u64, u64, bit_and>();
        t["or.pred"] = binary<u64, u64, bit_or>();
        t["xor.pred"] = binary<u64, u64, bit_xor>();
        t["not.pred"] = unary<u64, u64, [](u64 a) { return a ^ 1; }>();
        t["mov.pred"] = move;
        return t;
    }();
    return made;
}

} // namespace

Operation operation(const std::string& key) {
    const auto found = table().find(key);
    return found != table().end() ? found->second : nullptr;
}

void with_rounding(Warp& warp, const Instruction& i, u32 lanes) {
    const int before = std::fegetround();
    std::fesetround(mode_of(i.rounding));
    i.rounded(warp, i, lanes);
    std::fesetround(before);
}

Operation rounded_fma(Type type) { return type == Type::f32 ? fused_rounded<f32> : fused_rounded<f64>; }

} // namespace virtual_cuda
