#pragma once
#include "token.hpp"

namespace devq::frontend {

/// Splits the text of sources[file] into tokens; comments and line splices are gone, lines are told by `starts_line`.
/// Throws for a comment that never ends; every other oddity becomes a stray token.
Tokens lex(const Sources& sources, std::uint32_t file);

/// Splits a text that belongs to no file (a macro's value, two pasted tokens); all tokens get the position `at`.
Tokens lex(std::string_view text, Position at);

bool is_identifier_start(char c);
bool is_identifier_part(char c);

} // namespace devq::frontend
