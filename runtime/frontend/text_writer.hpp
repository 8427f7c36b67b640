#pragma once
#include "token.hpp"

namespace devq::frontend {

/// Collects output text and keeps it in step with the user's: in lines by newlines where that is enough and by #line,
/// in columns as long as what was written is no longer than what the user wrote.
class TextWriter {
public:
    explicit TextWriter(const Sources& sources) : sources_(sources) {}

    /// Text of our own. One that ends in a newline belongs to no line of the user's.
    void raw(std::string_view text);
    /// Makes what follows belong to the user's line.
    void line(Position at);
    /// Tokens of one expression or line, with no #line between them (they may be a macro's arguments).
    void tokens(const Tokens& tokens);
    void token(const Token& token);

    std::string take() { return std::move(text_); }

private:
    bool needs_space(const Token& token) const;
    void pad(Position at);

    const Sources& sources_;
    std::string text_;
    std::uint32_t file_ = 0;
    std::uint32_t line_ = 0;     ///< of the user's; 0: none
    std::size_t line_start_ = 0; ///< where the last line of text_ starts
};

} // namespace devq::frontend
