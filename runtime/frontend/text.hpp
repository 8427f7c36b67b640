#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

namespace devq::frontend {

/// The parts one after the other.
inline std::string concat(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (const std::string_view part : parts)
        size += part.size();
    std::string result;
    result.reserve(size);
    for (const std::string_view part : parts)
        result.append(part);
    return result;
}

} // namespace devq::frontend
