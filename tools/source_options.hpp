#pragma once
/// What commands that take a kernel's source have in common.

#include <CLI/CLI.hpp>
#include <devq/device.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace devq::tools {

/// -D NAME[=VALUE] and -I FOLDER.
void add_source_options(CLI::App& command, std::vector<std::string>& defines, std::vector<std::string>& folders);
BuildOptions build_options(const std::vector<std::string>& defines, const std::vector<std::string>& folders);

/// clean(), line by line.
std::string clean_lines(std::string_view text);

} // namespace devq::tools
