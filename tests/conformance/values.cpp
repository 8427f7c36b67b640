#include "values.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace devq::conformance {

std::uint64_t Random::next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double Random::uniform(double low, double high) noexcept {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
}

std::int64_t Random::below(std::int64_t count) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
}

std::uint64_t seed_of(std::uint64_t seed, std::string_view case_name) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char c : case_name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return Random(seed ^ hash).next();
}

namespace {

double wide(Random& random) noexcept {
    const double magnitude = std::ldexp(random.uniform(1, 2), static_cast<int>(random.below(16)) - 8);
    return random.one_in(2) ? magnitude : -magnitude;
}

double tiny(Random& random, const Format& format) noexcept {
    const double sign = random.one_in(2) ? 1 : -1;
    switch (random.below(4)) {
    case 0:
        return sign * 0.0;
    case 1:
        return sign * format.subnormal_step();
    case 2:
        return sign * std::ldexp(random.uniform(0.25, 1), format.smallest_exponent);
    default:
        return sign * std::ldexp(1.0, format.smallest_exponent);
    }
}

double special(Random& random, const Format& format) noexcept {
    const double sign = random.one_in(2) ? 1 : -1;
    switch (random.below(6)) {
    case 0:
        return sign * std::numeric_limits<double>::infinity();
    case 1:
        return std::numeric_limits<double>::quiet_NaN();
    case 2:
        return sign * format.largest;
    default:
        return tiny(random, format);
    }
}

} // namespace

double draw(Random& random, Values values, DType type) noexcept {
    const Format format = format_of(type);
    switch (values) {
    case Values::unit:
        return random.uniform(-1, 1);
    case Values::wide:
        return wide(random);
    case Values::positive:
        return std::fabs(wide(random));
    case Values::any_bits: {
        const std::uint64_t bits = random.next();
        std::byte element[8];
        std::memcpy(element, &bits, sizeof bits);
        return decode(type, element);
    }
    case Values::near_one:
        return 1 + std::ldexp(random.uniform(-1, 1), -static_cast<int>(random.below(format.precision)));
    case Values::thresholds:
        return random.uniform(-110, 95);
    case Values::moderate:
        return random.uniform(-12, 12);
    case Values::special:
        return random.one_in(4) ? special(random, format) : wide(random);
    case Values::risky:
        if (random.one_in(64))
            return (random.one_in(2) ? 1 : -1) * std::numeric_limits<double>::infinity();
        return random.one_in(4) ? tiny(random, format) : wide(random);
    case Values::nearly:
        return random.one_in(2) ? tiny(random, format) : wide(random);
    case Values::small_integers:
        return static_cast<double>(random.below(7)) - 3;
    case Values::huge:
        return type == DType::f16 ? random.uniform(3e4, 6e4) : random.uniform(1e19, 2e19);
    case Values::equal:
        return 0.7109375; // exact in every type
    case Values::minus_infinity:
        return -std::numeric_limits<double>::infinity();
    }
    return 0;
}

Format format_of(DType type) noexcept {
    switch (type) {
    case DType::f16:
        return {11, -14, 65504.0};
    case DType::bf16:
        return {8, -126, 0x1.fep127};
    case DType::f64:
        return {53, -1022, std::numeric_limits<double>::max()};
    default:
        return {24, -126, std::numeric_limits<float>::max()};
    }
}

double Format::unit_roundoff() const noexcept { return std::ldexp(1.0, -precision); }
double Format::subnormal_step() const noexcept { return std::ldexp(1.0, smallest_exponent - precision + 1); }
double Format::overflow_threshold() const noexcept {
    int exponent = 0;
    (void)std::frexp(largest, &exponent);
    return largest + std::ldexp(1.0, exponent - precision - 1); // half of the last place; infinity for f64
}

namespace {

struct IntegerRange {
    double low, high;
};
IntegerRange integer_range(DType type) noexcept {
    switch (type) {
    case DType::i8:
        return {-0x1p7, 0x1p7 - 1};
    case DType::u8:
        return {0, 0x1p8 - 1};
    case DType::i16:
        return {-0x1p15, 0x1p15 - 1};
    case DType::u16:
        return {0, 0x1p16 - 1};
    case DType::i32:
        return {-0x1p31, 0x1p31 - 1};
    case DType::u32:
        return {0, 0x1p32 - 1};
    case DType::i64:
        return {-0x1p53, 0x1p53};
    default:
        return {0, 0x1p53};
    }
}

template <class T>
void put(std::byte* at, T value) noexcept {
    std::memcpy(at, &value, sizeof value);
}
template <class T>
T get(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

std::uint16_t f16_bits(double representable) noexcept {
    const std::uint16_t sign = std::signbit(representable) ? 0x8000u : 0u;
    const double magnitude = std::fabs(representable);
    if (std::isnan(representable))
        return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (std::isinf(representable))
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x1p-14)
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(magnitude * 0x1p24));
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent); // [0.5, 1)
    const auto mantissa = static_cast<unsigned>(fraction * 0x1p11) - 0x400u;
    return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 14) << 10) | mantissa);
}

double f16_value(std::uint16_t bits) noexcept {
    const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
    const int exponent = (bits >> 10) & 31;
    const int mantissa = bits & 0x3ff;
    if (exponent == 31)
        return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

} // namespace

double round_to(DType type, double value) noexcept {
    if (!is_floating(type)) {
        const IntegerRange range = integer_range(type);
        return std::clamp(std::nearbyint(value), range.low, range.high);
    }
    if (type == DType::f64 || value == 0 || !std::isfinite(value))
        return value;
    const Format format = format_of(type);
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    const int step = std::max(exponent, format.smallest_exponent + 1) - format.precision;
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
    return std::fabs(rounded) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), value)
                                               : rounded;
}

void encode(DType type, double value, std::byte* at) noexcept {
    const double rounded = round_to(type, value);
    switch (type) {
    case DType::f32:
        return put(at, static_cast<float>(rounded));
    case DType::f16:
        return put(at, f16_bits(rounded));
    case DType::bf16:
        return put(at, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >> 16));
    case DType::f64:
        return put(at, rounded);
    case DType::i8:
        return put(at, static_cast<std::int8_t>(rounded));
    case DType::u8:
        return put(at, static_cast<std::uint8_t>(rounded));
    case DType::i16:
        return put(at, static_cast<std::int16_t>(rounded));
    case DType::u16:
        return put(at, static_cast<std::uint16_t>(rounded));
    case DType::i32:
        return put(at, static_cast<std::int32_t>(rounded));
    case DType::u32:
        return put(at, static_cast<std::uint32_t>(rounded));
    case DType::i64:
        return put(at, static_cast<std::int64_t>(rounded));
    case DType::u64:
        return put(at, static_cast<std::uint64_t>(rounded));
    }
}

double decode(DType type, const std::byte* at) noexcept {
    switch (type) {
    case DType::f32:
        return get<float>(at);
    case DType::f16:
        return f16_value(get<std::uint16_t>(at));
    case DType::bf16:
        return std::bit_cast<float>(static_cast<std::uint32_t>(get<std::uint16_t>(at)) << 16);
    case DType::f64:
        return get<double>(at);
    case DType::i8:
        return get<std::int8_t>(at);
    case DType::u8:
        return get<std::uint8_t>(at);
    case DType::i16:
        return get<std::int16_t>(at);
    case DType::u16:
        return get<std::uint16_t>(at);
    case DType::i32:
        return get<std::int32_t>(at);
    case DType::u32:
        return get<std::uint32_t>(at);
    case DType::i64:
        return static_cast<double>(get<std::int64_t>(at));
    case DType::u64:
        return static_cast<double>(get<std::uint64_t>(at));
    }
    return 0;
}

namespace {
/// Little-endian bytes; the top ones make a signalling NaN of the floating types.
std::uint64_t poison_bits(DType type) noexcept {
    switch (type) {
    case DType::f16:
        return 0x7da5u;
    case DType::bf16:
        return 0x7fa5u;
    case DType::f32:
        return 0x7fa5a5a5u;
    case DType::f64:
        return 0x7ff5a5a5a5a5a5a5u;
    default:
        return 0xa5a5a5a5a5a5a5a5u;
    }
}
} // namespace

void poison(DType type, std::byte* at) noexcept {
    const std::uint64_t bits = poison_bits(type);
    std::memcpy(at, &bits, size_of(type));
}

bool is_poison(DType type, const std::byte* at) noexcept {
    const std::uint64_t bits = poison_bits(type);
    return std::memcmp(at, &bits, size_of(type)) == 0;
}

} // namespace devq::conformance
