#pragma once
/// The --arg options of `devq run`: what each parameter of the kernel is given.

#include "npy.hpp"
#include <cstddef>
#include <cstdint>
#include <devq/dtype.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace devq::tools {

/// "1024x1024" and the like, 1 to `most` numbers, none of them 0.
std::vector<std::size_t> sizes_from(std::string_view text, std::size_t most, std::string_view option);

struct RunArgument {
    enum class Kind { buffer, local, value };
    std::string text; ///< as it was given
    Kind kind = Kind::value;
    Array array;                 ///< buffer: type, sizes and first contents
    std::size_t local_bytes = 0; ///< local
    DType type = DType::f32;     ///< value: of each component
    std::vector<std::byte> value;
};

inline constexpr const char* argument_forms =
    "  buf:TYPE:SIZE[:FILL]   a buffer; SIZE is 4096 or 64x64; FILL is zeros (if left out),\n"
    "                         ones, iota (0 1 2 …), a number, or random[:SEED] (floats in\n"
    "                         -1 … 1, integers in 0 … 99)\n"
    "  file:X.npy             a buffer with the contents of a NumPy file\n"
    "  TYPE:VALUE             a number: i32:5, f32:0.5; a vector: f32:1,2,3,4\n"
    "  hex:0011aabb           a struct's bytes\n"
    "  local:BYTES            local memory\n"
    "TYPE: f32 f16 bf16 f64 i8 u8 i16 u16 i32 u32 i64 u64";

/// Throws WrongUsage. `position` counts from 0 and decides a random buffer's numbers where no SEED is given.
RunArgument parse_argument(const std::string& text, std::size_t position);

/// Element `index` as f64, exact but for 64-bit integers beyond 2^53.
double element(const Array& array, std::size_t index);

} // namespace devq::tools
