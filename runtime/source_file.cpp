#include "source_file.hpp"
#include <algorithm>
#include <array>
#include <devq/error.hpp>
#include <fstream>
#include <string_view>
#include <system_error>

namespace devq::detail {

namespace {

bool is_identifier(std::string_view name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

} // namespace

std::string read_source(const std::filesystem::path& file, const char* operation, std::size_t limit) {
    const auto refuse = [&](const std::string& problem, const std::string& advice) -> Error {
        return {ErrorCode::invalid_argument, operation, "the file \"" + file.string() + "\" " + problem, advice};
    };
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    // Asked before it is opened: to open a pipe waits for its writer, and a device may never end.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        throw refuse(std::filesystem::is_directory(status) ? "is a folder" : "is no ordinary file but a pipe or device",
                     "Name a file of OpenCL C source.");
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw refuse("cannot be read", "Check the path and its permissions.");
    std::string text;
    std::array<char, 1 << 16> part;
    while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
        text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > limit)
            throw refuse("has more than " + std::to_string(limit >> 20) + " MiB, which is no kernel's source",
                         "Name a file of OpenCL C source.");
    }
    if (stream.bad())
        throw refuse("cannot be read to its end", "Check the file system.");
    return text;
}

BuildOptions options_for(const std::filesystem::path& file, BuildOptions options) {
    if (options.file_name == BuildOptions().file_name)
        options.file_name = file.string();
    options.include_folders.insert(options.include_folders.begin(),
                                   file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
    return options;
}

frontend::Options front_end_options(const BuildOptions& options, const char* operation) {
    frontend::Options made;
    made.file_name = options.file_name;
    for (const auto& [name, value] : options.defines) {
        if (!is_identifier(name))
            throw Error(ErrorCode::invalid_argument, operation, "\"" + name + "\" cannot be the name of a macro",
                        "Use letters, digits and underscores, not beginning with a digit.");
        if (value.find_first_of("\n\r") != std::string::npos)
            throw Error(ErrorCode::invalid_argument, operation,
                        "the value of macro \"" + name + "\" has more than one line", "Give it in one line.");
        made.defines.emplace_back(name, value);
    }
    for (const std::filesystem::path& folder : options.include_folders)
        made.include_folders.push_back(folder.string());
    return made;
}

} // namespace devq::detail
