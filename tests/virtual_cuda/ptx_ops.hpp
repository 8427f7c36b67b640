#pragma once
/// What the opcodes do, for all lanes at once.

#include "ptx_warp.hpp"

namespace virtual_cuda {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

// For any type: the instruction says which.
void move(Warp& warp, const Instruction& i, u32 lanes);
void to_generic(Warp& warp, const Instruction& i, u32 lanes);
void convert(Warp& warp, const Instruction& i, u32 lanes);

/// Of one element or of several.
Operation load_of(Type type);
Operation store_of(Type type);

/// Null when it is not known. "add.f32", "mul.lo.s32", "setp.s32": opcodes without what makes no difference here.
Operation operation(const std::string& key);
/// Does i.rounded and rounds as i.rounding says.
void with_rounding(Warp& warp, const Instruction& i, u32 lanes);
/// fma that rounds otherwise than to the nearest.
Operation rounded_fma(Type type);

} // namespace virtual_cuda
