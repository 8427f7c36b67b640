#pragma once
/// `term{','term}`: what selectors and DEVQ_VIRTUAL_DEVICES are made of, and how a fault in one is shown.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace devq::detail {

struct Term {
    std::string_view text; ///< without the blanks around it; empty where two commas meet
    std::size_t at;        ///< where it begins in the list
};

/// None where there is nothing but blanks. Header only: the tools use it too.
inline std::vector<Term> terms_of(std::string_view list) {
    constexpr std::string_view blanks = " \t";
    std::vector<Term> terms;
    if (list.find_first_not_of(blanks) == std::string_view::npos)
        return terms;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t comma = std::min(list.find(',', begin), list.size());
        const std::string_view part = list.substr(begin, comma - begin);
        const std::size_t lead = std::min(part.find_first_not_of(blanks), part.size());
        const std::size_t end = part.find_last_not_of(blanks) + 1; // 0 where there is none
        terms.push_back({part.substr(lead, std::max(end, lead) - lead), begin + lead});
        begin = comma + 1;
    }
    return terms;
}

/// Throws Error(invalid_argument) of `who`: what is wrong, the list, and a caret under its byte `at`.
[[noreturn]] void refuse_at(std::string_view list, std::size_t at, const std::string& who, const std::string& what,
                            const std::string& advice);

} // namespace devq::detail
