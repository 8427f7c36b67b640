#pragma once
#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <string_view>

namespace devq {

/// Storage type of an element. f16 is IEEE binary16, bf16 the upper half of an f32; both are storage: arithmetic is
/// f32.
enum class DType : std::uint8_t { f32, f16, bf16, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

/// False for a value that is no enumerator, such as one cast from an unchecked integer.
constexpr bool is_known(DType type) noexcept { return type <= DType::u64; }
/// Bytes of one element; 0 where the type is not known.
DEVQ_API std::size_t size_of(DType type) noexcept;
/// "f32", "bf16", ...
DEVQ_API std::string_view to_string(DType type) noexcept;
/// The type called `name`; throws invalid_argument naming the known ones.
DEVQ_API DType dtype_from_string(std::string_view name);

/// True for f32, f16, bf16 and f64.
constexpr bool is_floating(DType type) noexcept { return type <= DType::f64; }

/// Host-side conversion, round to nearest even; NaN stays NaN, overflow becomes infinity.
DEVQ_API std::uint16_t f16_from_f32(float value) noexcept;
DEVQ_API float f32_from_f16(std::uint16_t bits) noexcept;
DEVQ_API std::uint16_t bf16_from_f32(float value) noexcept;
DEVQ_API float f32_from_bf16(std::uint16_t bits) noexcept;

} // namespace devq
