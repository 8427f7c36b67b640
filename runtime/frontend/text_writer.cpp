#include "text_writer.hpp"
#include "lexer.hpp"

namespace devq::frontend {

namespace {

std::string quoted(const std::string& name) {
    std::string result = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

} // namespace

void TextWriter::raw(std::string_view text) {
    text_ += text;
    if (text.find('\n') != std::string_view::npos) {
        line_ = 0;
        line_start_ = text_.rfind('\n') + 1;
    }
}

/// Spaces up to the user's column.
void TextWriter::pad(Position at) {
    constexpr std::size_t widest = 150;
    const std::size_t column = text_.size() - line_start_ + 1;
    if (line_ != 0 && at.line == line_ && at.file == file_ && column < at.column && at.column < widest)
        text_.append(at.column - column, ' ');
}

void TextWriter::line(Position at) {
    constexpr std::uint32_t few = 6; // so many newlines are shorter than a directive
    if (at.line == 0)
        return;
    if (line_ == at.line && file_ == at.file)
        return pad(at);
    if (line_ != 0 && file_ == at.file && at.line > line_ && at.line - line_ <= few) {
        text_.append(at.line - line_, '\n');
    } else {
        if (!text_.empty() && text_.back() != '\n')
            text_ += '\n';
        text_ += "#line " + std::to_string(at.line) + " " + quoted(sources_.name(at.file)) + "\n";
    }
    file_ = at.file;
    line_ = at.line;
    line_start_ = text_.size();
    pad(at);
}

void TextWriter::token(const Token& token) {
    pad(token.at);
    if (needs_space(token))
        text_ += ' ';
    text_ += token.text;
}

/// Without this, "a - -b", "x < ::y" or two names could become other tokens.
bool TextWriter::needs_space(const Token& token) const {
    if (text_.empty() || text_.back() == '\n' || text_.back() == ' ' || token.text.empty())
        return false;
    if (token.space_before)
        return true;
    const char last = text_.back(), first = token.text[0];
    if (is_identifier_part(first))
        return is_identifier_part(last);
    if (first == '.')
        return last == '.' || (last >= '0' && last <= '9');
    constexpr std::string_view apart = "()[]{};,";
    return apart.find(last) == std::string_view::npos && apart.find(first) == std::string_view::npos &&
           !is_identifier_part(last);
}

void TextWriter::tokens(const Tokens& tokens) {
    constexpr std::uint32_t most_lines = 1000;
    for (const Token& each : tokens) {
        if (line_ != 0 && each.at.file == file_ && each.at.line > line_ && each.at.line - line_ < most_lines) {
            text_.append(each.at.line - line_, '\n');
            line_ = each.at.line;
            line_start_ = text_.size();
        }
        token(each);
    }
}

} // namespace devq::frontend
