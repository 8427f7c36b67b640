// Moves, loads, stores and conversions, for all lanes at once.
#include "ptx_ops.hpp"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace virtual_cuda {

namespace {

u64 low_bits(u64 value, std::size_t bytes) { return bytes == 8 ? value : value & ((u64{1} << 8 * bytes) - 1); }

double half_to_double(u16 bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                             : exponent == 31 ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                               : std::numeric_limits<double>::infinity())
                                              : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

u16 double_to_half(double value, char rounding) {
    const u16 sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
        return 0x7fff;
    const double magnitude = std::fabs(value);
    const bool outward = (rounding == 'p' && sign == 0) || (rounding == 'm' && sign != 0);
    if (std::isinf(magnitude))
        return sign | 0x7c00;
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude < 2^exponent
    const int unit = std::max(exponent - 11, -24);
    const double steps = std::ldexp(magnitude, -unit);
    const double whole = rounding == 'n' ? std::nearbyint(steps) : outward ? std::ceil(steps) : std::floor(steps);
    const double rounded = std::ldexp(whole, unit);
    if (rounded >= 65536.0)
        return sign | (rounding == 'n' || outward ? 0x7c00 : 0x7bff);
    if (rounded < std::ldexp(1.0, -14))
        return sign | static_cast<u16>(std::ldexp(rounded, 24));
    std::frexp(rounded, &exponent);
    return sign | static_cast<u16>((exponent + 14) << 10) |
           static_cast<u16>(static_cast<int>(std::ldexp(rounded, 11 - exponent)) & 1023);
}

double rounded_whole(double value, char rounding) {
    return rounding == 'z'   ? std::trunc(value)
           : rounding == 'm' ? std::floor(value)
           : rounding == 'p' ? std::ceil(value)
                             : std::nearbyint(value);
}

/// A whole number to f32 with one rounding.
template <class W>
f32 to_float(W value, char rounding) {
    const int before = std::fegetround();
    std::fesetround(rounding == 'm'   ? FE_DOWNWARD
                    : rounding == 'p' ? FE_UPWARD
                    : rounding == 'z' ? FE_TOWARDZERO
                                      : FE_TONEAREST);
    volatile W source = value;
    const f32 result = static_cast<f32>(source);
    std::fesetround(before);
    return result;
}

} // namespace

/// Also between a register and its parts in braces: more operands than two.
void move(Warp& warp, const Instruction& i, u32 lanes) {
    const std::size_t bytes = size_of(i.type), parts = i.count - 1u, part = bytes / parts;
    if (parts == 1) {
        const u64 mask = low_bits(~u64{0}, bytes);
        u64 *const to = warp.row(i.operands[0]), *const from = warp.row(i.operands[1]);
        return each_lane(lanes, [&](int lane) { to[lane] = from[lane] & mask; });
    }
    each_lane(lanes, [&](int lane) {
        if (i.vector == 1) { // together
            u64 value = 0;
            for (std::size_t p = 0; p < parts; ++p)
                value |= low_bits(warp.at(i.operands[1 + p], lane), part) << 8 * part * p;
            warp.at(i.operands[0], lane) = value;
        } else { // apart
            const u64 value = warp.at(i.operands[parts], lane);
            for (std::size_t p = 0; p < parts; ++p)
                warp.at(i.operands[p], lane) = low_bits(value >> 8 * part * p, part);
        }
    });
}

namespace {

bool is_global(const Instruction& i, u64 address) {
    return i.space == Space::global || (i.space == Space::generic && (address >> 44 == 0 || address >> 44 > 3));
}
bool is_shared(const Instruction& i, u64 address) {
    return i.space == Space::shared || (i.space == Space::generic && address >> 44 == shared_base >> 44);
}

/// True where all lanes stay within one global block, each at a multiple of `bytes`, and nothing is noted of it; it is
/// warp.cached then.
bool all_within(Warp& warp, const u64* addresses, u64 offset, u64 bytes, u32 lanes) {
    if (!warp.look(addresses[std::countr_zero(lanes)] + offset) || warp.cached.marks != nullptr ||
        warp.cached.bytes < bytes)
        return false;
    const u64 begin = warp.cached.begin, room = warp.cached.bytes;
    u64 wrong = 0;
    if (lanes == all_lanes)
        for (int lane = 0; lane < 32; ++lane) {
            const u64 address = addresses[lane] + offset;
            wrong |= static_cast<u64>(address - begin > room - bytes) | (address & (bytes - 1));
        }
    else
        each_lane(lanes, [&](int lane) {
            const u64 address = addresses[lane] + offset;
            wrong |= static_cast<u64>(address - begin > room - bytes) | (address & (bytes - 1));
        });
    return wrong == 0;
}

template <class T>
void load_as(Warp& warp, const Instruction& i, u32 lanes) {
    using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
    const u64* const addresses = warp.row(i.operands[i.vector]);
    const auto offset = static_cast<u64>(i.offset);
    const u64 bytes = sizeof(T) * i.vector;
    const auto take = [&](const std::byte* place, int lane) {
        T values[4]{};
        std::memcpy(values, place, sizeof(T)); // the usual case by itself
        if (i.vector > 1)
            std::memcpy(values, place, bytes);
        for (u32 part = 0; part < i.vector; ++part)
            warp.at(i.operands[part], lane) = static_cast<u64>(static_cast<Wide>(values[part]));
    };
    const u64 first = addresses[std::countr_zero(lanes)] + offset;
    if (is_global(i, first) && all_within(warp, addresses, offset, bytes, lanes)) {
        const std::byte* const content = warp.cached.content;
        const u64 from = offset - warp.cached.begin;
        return each_lane(lanes, [&](int lane) { take(content + (addresses[lane] + from), lane); });
    }
    each_lane(lanes, [&](int lane) {
        const u64 address = addresses[lane] + offset;
        if (is_shared(i, address))
            if (const std::byte* place = warp.shared_words(address, bytes, lane, Access::read))
                return take(place, lane);
        const std::byte* place = warp.address(address, i.space, sizeof(T), lane, Access::read);
        if (address % bytes != 0)
            throw Trap{devq::cuda::abi::misaligned_address, "a vector that is not aligned", lane};
        for (u32 part = 1; part < i.vector; ++part)
            static_cast<void>(warp.address(address + sizeof(T) * part, i.space, sizeof(T), lane, Access::read));
        take(place, lane);
    });
}

template <class T>
void store_as(Warp& warp, const Instruction& i, u32 lanes) {
    const u64* const addresses = warp.row(i.operands[0]);
    const auto offset = static_cast<u64>(i.offset);
    const u64 bytes = sizeof(T) * i.vector;
    const auto put = [&](std::byte* place, int lane) {
        for (u32 part = 0; part < i.vector; ++part) {
            const T value = static_cast<T>(warp.at(i.operands[1 + part], lane));
            std::memcpy(place + sizeof(T) * part, &value, sizeof value);
        }
    };
    const u64 first = addresses[std::countr_zero(lanes)] + offset;
    if (is_global(i, first) && all_within(warp, addresses, offset, bytes, lanes)) {
        std::byte* const content = warp.cached.content;
        const u64 from = offset - warp.cached.begin;
        return each_lane(lanes, [&](int lane) { put(content + (addresses[lane] + from), lane); });
    }
    each_lane(lanes, [&](int lane) {
        const u64 address = addresses[lane] + offset;
        if (is_shared(i, address))
            if (std::byte* place = warp.shared_words(address, bytes, lane, Access::write))
                return put(place, lane);
        if (address % bytes != 0 && i.vector > 1)
            throw Trap{devq::cuda::abi::misaligned_address, "a vector that is not aligned", lane};
        for (u32 part = 0; part < i.vector; ++part) {
            const void* const value = &warp.at(i.operands[1 + part], lane);
            std::memcpy(warp.address(address + sizeof(T) * part, i.space, sizeof(T), lane, Access::write, value), value,
                        sizeof(T));
        }
    });
}

} // namespace

Operation load_of(Type type) {
    switch (size_of(type)) {
    case 1:
        return is_signed(type) ? load_as<std::int8_t> : load_as<u8>;
    case 2:
        return is_signed(type) ? load_as<s16> : load_as<u16>;
    case 4:
        return is_signed(type) ? load_as<s32> : load_as<u32>;
    default:
        return load_as<u64>;
    }
}

Operation store_of(Type type) {
    switch (size_of(type)) {
    case 1:
        return store_as<u8>;
    case 2:
        return store_as<u16>;
    case 4:
        return store_as<u32>;
    default:
        return store_as<u64>;
    }
}

void to_generic(Warp& warp, const Instruction& i, u32 lanes) {
    each_lane(lanes, [&](int lane) {
        u64 value = warp.at(i.operands[1], lane);
        if (i.space != Space::global) {
            const u64 base = i.space == Space::shared ? shared_base : i.space == Space::local ? local_base : param_base;
            value = base | static_cast<u32>(value); // one way and the other: both are understood
        }
        warp.at(i.operands[0], lane) = value;
    });
}

void convert(Warp& warp, const Instruction& i, u32 lanes) {
    const auto floating = [](Type type) { return type == Type::f16 || type == Type::f32 || type == Type::f64; };
    const unsigned empty = static_cast<unsigned>(64 - 8 * size_of(i.source_type));
    each_lane(lanes, [&](int lane) {
        const u64 bits = warp.at(i.operands[1], lane);
        double real = 0;
        u64 whole = 0;
        if (i.source_type == Type::f16)
            real = half_to_double(static_cast<u16>(bits));
        else if (i.source_type == Type::f32)
            real = static_cast<double>(warp.get<f32>(i.operands[1], lane));
        else if (i.source_type == Type::f64)
            real = warp.get<f64>(i.operands[1], lane);
        else
            whole = is_signed(i.source_type) ? static_cast<u64>(static_cast<s64>(bits << empty) >> empty)
                                             : bits << empty >> empty;
        const bool from_float = floating(i.source_type);
        if (floating(i.type)) {
            if (from_float && i.to_integer)
                real = rounded_whole(real, i.rounding);
            if (i.saturate)
                real = std::isnan(real) ? 0.0 : std::fmin(std::fmax(real, 0.0), 1.0);
            if (i.type == Type::f32) {
                f32 value = 0;
                if (from_float)
                    value = to_float(real, i.rounding);
                else
                    value = is_signed(i.source_type) ? to_float(static_cast<s64>(whole), i.rounding)
                                                     : to_float(whole, i.rounding);
                warp.set<f32>(i.operands[0], lane, value);
            } else {
                if (!from_float)
                    real = is_signed(i.source_type) ? static_cast<double>(static_cast<s64>(whole))
                                                    : static_cast<double>(whole);
                if (i.type == Type::f64)
                    warp.set<f64>(i.operands[0], lane, real);
                else
                    warp.set<u16>(i.operands[0], lane, double_to_half(real, i.rounding));
            }
            return;
        }
        const unsigned width = static_cast<unsigned>(8 * size_of(i.type));
        if (from_float) { // out of range: the nearest; NaN: 0
            const double value = std::isnan(real) ? 0.0 : rounded_whole(real, i.rounding);
            const double top = std::ldexp(1.0, static_cast<int>(width) - (is_signed(i.type) ? 1 : 0));
            const double bottom = is_signed(i.type) ? -top : 0.0;
            if (value >= top)
                whole = is_signed(i.type) ? (u64{1} << (width - 1)) - 1 : ~u64{0};
            else if (value <= bottom)
                whole = is_signed(i.type) ? static_cast<u64>(-1) << (width - 1) : 0;
            else
                whole = is_signed(i.type) ? static_cast<u64>(static_cast<s64>(value)) : static_cast<u64>(value);
        } else if (i.saturate) {
            const auto signed_whole = static_cast<s64>(whole);
            const bool negative = is_signed(i.source_type) && signed_whole < 0;
            const u64 top = is_signed(i.type) ? (u64{1} << (width - 1)) - 1 : low_bits(~u64{0}, width / 8);
            if (!negative && whole > top)
                whole = top;
            else if (negative && !is_signed(i.type))
                whole = 0;
            else if (negative && width < 64 && signed_whole < -(s64{1} << (width - 1)))
                whole = static_cast<u64>(-(s64{1} << (width - 1)));
        }
        // Signed results fill the register: it may be wider.
        const unsigned rest = 64 - width;
        warp.at(i.operands[0], lane) =
            is_signed(i.type) ? static_cast<u64>(static_cast<s64>(whole << rest) >> rest) : low_bits(whole, width / 8);
    });
}

} // namespace virtual_cuda
