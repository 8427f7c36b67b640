#pragma once
/// Small helpers on tokens that several parts of the parser use.

#include "token.hpp"

namespace devq::frontend {

inline bool is_assignment(const Token& token) {
    return token.kind == TokenKind::punctuation && token.text.back() == '=' && token.text != "==" &&
           token.text != "!=" && token.text != "<=" && token.text != ">=";
}

/// Appends text of our own, which belongs to the user's text at `at`.
inline void append(Tokens& out, std::string_view text, Position at) {
    if (text.empty())
        return;
    Token token;
    token.kind = TokenKind::punctuation;
    token.space_before = true;
    token.at = at;
    token.text = std::string(text);
    out.push_back(std::move(token));
}

} // namespace devq::frontend
