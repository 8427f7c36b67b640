#pragma once
#include "source.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace devq::frontend {

enum class TokenKind : std::uint8_t {
    identifier,
    number,
    string,
    character,
    punctuation,
    pragma, ///< a whole #pragma line; `text` is what follows the word
    stray,  ///< what C has no token for; an error only if it reaches the parser
};

struct Token {
    TokenKind kind = TokenKind::stray;
    bool space_before = false;
    bool starts_line = false; ///< first on its line (of the text, then of the preprocessed text)
    bool no_expand = false;   ///< a macro's own name met inside its expansion
    Position at;
    std::string text;

    bool is(std::string_view what) const { return text == what; }
    bool is_identifier() const { return kind == TokenKind::identifier; }
};

using Tokens = std::vector<Token>;

} // namespace devq::frontend
