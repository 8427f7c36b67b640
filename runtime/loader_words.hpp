#pragma once
/// What the dynamic loader's messages mean. Header only: the runtime reads those about modules, a module those
/// about vendor libraries.

#include <string>
#include <string_view>

namespace devq::detail {

/// The library that dlerror() says is missing; empty when it says something else.
inline std::string missing_library(std::string_view words) {
    const std::size_t end = words.find(": cannot open shared object file: No such file");
    return std::string(end == std::string_view::npos ? std::string_view{} : words.substr(0, end));
}

/// The code of `devq list` for a failed dlopen(). `wanted`: the library whose absence is itself the cause; the absence
/// of another one is a missing dependency.
inline std::string_view loader_code(std::string_view words, std::string_view wanted) {
    const auto says = [&](std::string_view part) { return words.find(part) != std::string_view::npos; };
    const std::string missing = missing_library(words);
    if (!missing.empty())
        return missing == wanted ? "library_missing" : "dependency_missing";
    if (says("undefined symbol") || says("symbol lookup error") || (says("version `") && says("not found")))
        return "symbol_missing";
    if (says("Permission denied") || says("failed to map segment"))
        return "permission";
    return "driver_broken"; // not an ELF file, another architecture, cut short, ...
}

} // namespace devq::detail
