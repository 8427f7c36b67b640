#pragma once
#include <string_view>

namespace devq::frontend {

/// The texts of kernels/prelude that come before a program, host_abi.h's included; made by embed.py when building.
extern const std::string_view host_prelude;
extern const std::string_view cuda_prelude;

} // namespace devq::frontend
