#pragma once
/// Words in a row. Header only: the tools use it too.

#include <string>
#include <string_view>

namespace devq::detail {

/// All words that are not empty, with `between` between them.
template <class Words>
std::string joined(const Words& words, std::string_view between) {
    std::string text;
    for (const std::string_view word : words) {
        if (word.empty())
            continue;
        if (!text.empty())
            text += between;
        text += word;
    }
    return text;
}

} // namespace devq::detail
