#pragma once
/// devq's own kernels that were compiled ahead into this module: generated from kernels/variants.

#include "frontend/host_abi.h"
#include <span>
#include <string_view>

namespace devq::cpu {

struct BuiltinEntry {
    std::string_view kernel_file;
    std::string_view constants; ///< as in kernels/variants, braces expanded
    int level;                  ///< 2, 3 or 4
    const devq_host_kernel_table* table;
};

std::span<const BuiltinEntry> builtin_entries() noexcept;

/// Highest level that kernels were compiled for (4 when there are none at all).
int highest_built_level() noexcept;

} // namespace devq::cpu
