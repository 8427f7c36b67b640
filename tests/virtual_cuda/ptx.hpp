#pragma once
/// PTX as the stand-in runs it: decoded once, executed a warp at a time.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace virtual_cuda {

struct Warp;
struct Instruction;
using Operation = void (*)(Warp&, const Instruction&, std::uint32_t lanes);

enum class Space : std::uint8_t { generic, global, shared, local, param };
/// Where generic addresses of the spaces other than global begin; the low 32 bits are the offset.
inline constexpr std::uint64_t shared_base = std::uint64_t{1} << 44, local_base = std::uint64_t{2} << 44,
                               param_base = std::uint64_t{3} << 44;

/// How a register's content is read.
enum class Type : std::uint8_t { pred, b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f16, f32, f64 };
std::size_t size_of(Type type) noexcept;
bool is_signed(Type type) noexcept;

/// Operands are numbers of registers; constants and special registers have one too.
struct Instruction {
    enum class Kind : std::uint8_t { plain, branch, exit, barrier };

    Operation run = nullptr;
    Operation rounded = nullptr; ///< what run does with another rounding
    Kind kind = Kind::plain;
    Space space = Space::generic;
    Type type = Type::b32, source_type = Type::b32;
    bool negated = false, saturate = false;
    char rounding = 'n';                 ///< n, z, m (down), p (up)
    bool to_integer = false;             ///< cvt: rounds to a whole number
    std::uint8_t count = 0, variant = 0; ///< operands; comparison or atomic operation
    std::uint8_t vector = 1;             ///< elements that are loaded or stored
    std::int32_t guard = -1;
    std::uint32_t target = 0;                ///< of a branch
    std::int64_t offset = 0;                 ///< of an address
    std::array<std::uint32_t, 6> operands{}; ///< loads: destinations, address; stores: address, sources
    std::uint32_t line = 0;
};

struct Kernel {
    struct Constant {
        std::uint32_t where;
        std::uint64_t value;
    };
    struct Special {
        std::uint32_t where;
        std::string name; ///< "%tid.x"
    };

    std::string name;
    std::vector<Instruction> code;
    std::vector<std::size_t> parameters, parameter_offsets; ///< sizes; places in the parameter block
    std::size_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
    std::uint32_t dynamic_offset = 0; ///< of shared memory that the launch adds
    std::uint32_t registers = 0;
    std::vector<Constant> constants;
    std::vector<Special> specials;
};

/// What a module keeps in global memory, as it is at first. Addresses in the code count from `base`.
struct ModuleData {
    std::uint64_t base = 0;
    std::vector<std::byte> bytes;
};

struct PtxError : std::runtime_error {
    using runtime_error::runtime_error;
};

/// Throws PtxError, which names line and opcode.
std::map<std::string, Kernel> parse(const std::string& text, ModuleData& data);

/// Fills in what runs `opcode` ("add.s32"); false when it is not known.
bool decode(const std::string& opcode, Instruction& instruction);

} // namespace virtual_cuda
