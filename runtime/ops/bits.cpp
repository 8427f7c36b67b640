#include "bits.hpp"
#include <bit>
#include <cmath>
#include <limits>

namespace devq::detail {

namespace {

template <class Integer>
std::uint64_t integer_bits(const OpCall& call, DType type, double value) {
    // 2^63 and 2^64 are doubles, the largest integers below them are not
    const double low = static_cast<double>(std::numeric_limits<Integer>::min());
    const double beyond = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
    if (!(value >= low && value < beyond) || value != std::trunc(value))
        call.fail(std::to_string(value) + " is not a value of type " + std::string(to_string(type)),
                  "Use a whole number within the type's range, or a tensor of a floating type.");
    return static_cast<std::uint64_t>(static_cast<Integer>(value));
}

/// Rounded once, to nearest even: going through f32 would round twice.
std::uint64_t narrow_bits(DType type, double value) {
    const int mantissa = type == DType::f16 ? 10 : 7;
    const int least = type == DType::f16 ? -24 : -133; // exponent of the smallest denormal
    if (value != 0 && std::isfinite(value)) {
        int exponent = 0;
        std::frexp(value, &exponent); // |value| in [2^(exponent-1), 2^exponent)
        const int ulp = std::max(exponent - 1 - mantissa, least);
        value = std::ldexp(std::nearbyint(std::ldexp(value, -ulp)), ulp);
    }
    const auto rounded = static_cast<float>(value);
    return type == DType::f16 ? f16_from_f32(rounded) : bf16_from_f32(rounded);
}

} // namespace

std::uint64_t bits_of(const OpCall& call, DType type, double value) {
    switch (type) {
    case DType::f32:
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::f64:
        return std::bit_cast<std::uint64_t>(value);
    case DType::f16:
    case DType::bf16:
        return narrow_bits(type, value);
    case DType::i8:
        return integer_bits<std::int8_t>(call, type, value);
    case DType::u8:
        return integer_bits<std::uint8_t>(call, type, value);
    case DType::i16:
        return integer_bits<std::int16_t>(call, type, value);
    case DType::u16:
        return integer_bits<std::uint16_t>(call, type, value);
    case DType::i32:
        return integer_bits<std::int32_t>(call, type, value);
    case DType::u32:
        return integer_bits<std::uint32_t>(call, type, value);
    case DType::i64:
        return integer_bits<std::int64_t>(call, type, value);
    case DType::u64:
        return integer_bits<std::uint64_t>(call, type, value);
    }
    return 0;
}

} // namespace devq::detail
