#pragma once
/// From a kernel file and the caller's options to what the front end takes. Device::build and `devq build` share it.

#include "frontend/frontend.hpp"
#include <cstddef>
#include <devq/api.hpp>
#include <devq/program.hpp>
#include <filesystem>
#include <string>

namespace devq::detail {

/// All of an ordinary file. Throws Error(invalid_argument) for what is none (a folder, a pipe, a device), for one that
/// cannot be read, and for one of more than `limit` bytes.
DEVQ_API std::string read_source(const std::filesystem::path& file, const char* operation,
                                 std::size_t limit = frontend::largest_text);

/// The options for a file: its name in messages, unless another is given, and its folder before the other ones.
DEVQ_API BuildOptions options_for(const std::filesystem::path& file, BuildOptions options);

/// Throws Error(invalid_argument) for macros that cannot be.
DEVQ_API frontend::Options front_end_options(const BuildOptions& options, const char* operation);

} // namespace devq::detail
