#include <bit>
#include <cmath>
#include <devq/dtype.hpp>
#include <devq/error.hpp>
#include <iterator>
#include <string>

namespace devq {

namespace {
struct Row {
    DType type;
    std::string_view name;
    std::size_t size;
};
constexpr Row rows[] = {
    {DType::f32, "f32", 4}, {DType::f16, "f16", 2}, {DType::bf16, "bf16", 2}, {DType::f64, "f64", 8},
    {DType::i8, "i8", 1},   {DType::u8, "u8", 1},   {DType::i16, "i16", 2},   {DType::u16, "u16", 2},
    {DType::i32, "i32", 4}, {DType::u32, "u32", 4}, {DType::i64, "i64", 8},   {DType::u64, "u64", 8},
};
} // namespace

static_assert(std::size(rows) == static_cast<std::size_t>(DType::u64) + 1);

std::size_t size_of(DType type) noexcept { return is_known(type) ? rows[static_cast<std::size_t>(type)].size : 0; }
std::string_view to_string(DType type) noexcept {
    return is_known(type) ? rows[static_cast<std::size_t>(type)].name : "unknown";
}

DType dtype_from_string(std::string_view name) {
    std::string known;
    for (const Row& row : rows) {
        if (row.name == name)
            return row.type;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(ErrorCode::invalid_argument, "dtype_from_string", "there is no type \"" + std::string(name) + "\"",
                "Use one of " + known + ".");
}

std::uint16_t f16_from_f32(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) // NaN: keep the payload's top, make it quiet
        return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
    if (magnitude >= 0x477ff000u) // 65520 and above round to infinity
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x38800000u) { // below 2^-14: a multiple of 2^-24; nearbyint rounds ties to even
        const float scaled = std::nearbyint(std::bit_cast<float>(magnitude) * 16777216.0f);
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(scaled));
    }
    const std::uint32_t rounded = magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rounded >> 13));
}

float f32_from_f16(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
    if (exponent == 0) { // zero or denormal: mantissa · 2^-24, exact in f32
        const float value = static_cast<float>(mantissa) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    const std::uint32_t widened = exponent == 31 ? 0x7f800000u : (exponent + 112) << 23;
    return std::bit_cast<float>(sign | widened | (mantissa << 13));
}

std::uint16_t bf16_from_f32(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u); // a rounding carry must not turn NaN into infinity
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float f32_from_bf16(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

} // namespace devq
