#include "source_options.hpp"
#include "command.hpp"
#include "output.hpp"
#include <algorithm>

namespace devq::tools {

namespace {

void add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* help,
              const char* type) {
    command.add_option(name, values, help)
        ->type_name(type)
        ->check(not_empty())
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

} // namespace

void add_source_options(CLI::App& command, std::vector<std::string>& defines, std::vector<std::string>& folders) {
    add_list(command, "-D", defines, "Define a macro (as 1 where no value is given)", "NAME[=VALUE]");
    add_list(command, "-I", folders, "Search this folder for #include", "FOLDER");
}

BuildOptions build_options(const std::vector<std::string>& defines, const std::vector<std::string>& folders) {
    BuildOptions options;
    for (const std::string& define : defines) {
        const std::size_t equals = define.find('=');
        options.defines.emplace_back(define.substr(0, equals), equals == define.npos ? "1" : define.substr(equals + 1));
    }
    options.include_folders.assign(folders.begin(), folders.end());
    return options;
}

std::string clean_lines(std::string_view text) {
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += clean(text.substr(begin, end - begin)) + '\n';
        begin = end + 1;
    }
    return result;
}

} // namespace devq::tools
