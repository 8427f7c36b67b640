#include "terms.hpp"
#include <devq/error.hpp>

namespace devq::detail {

namespace {

/// One line for the text and one for the caret: control characters would break the alignment, and a NUL end it.
std::string shown(std::string_view raw) {
    std::string result(raw);
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '?';
    return result;
}

} // namespace

void refuse_at(std::string_view list, std::size_t at, const std::string& who, const std::string& what,
               const std::string& advice) {
    std::string caret;
    for (const char c : list.substr(0, at))
        if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u) // one column a character, not a byte
            caret += ' ';
    throw Error(ErrorCode::invalid_argument, who, shown(what) + "\n  " + shown(list) + "\n  " + caret + "^\n", advice);
}

} // namespace devq::detail
