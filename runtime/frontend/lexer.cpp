#include "lexer.hpp"
#include <array>

namespace devq::frontend {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r' || c == '\n'; }

/// Walks a text, stepping over line splices (a backslash at the end of a line), and knows line and column.
class Cursor {
public:
    explicit Cursor(std::string_view text) : text_(text) { skip_splices(at_, line_, line_start_); }

    bool done() const { return at_ >= text_.size(); }
    char now() const { return done() ? '\0' : text_[at_]; }
    char next() const {
        std::size_t at = at_ + 1, start = line_start_;
        std::uint32_t line = line_;
        skip_splices(at, line, start);
        return at < text_.size() ? text_[at] : '\0';
    }
    void advance() {
        if (text_[at_] == '\n') {
            ++line_;
            line_start_ = at_ + 1;
        }
        ++at_;
        skip_splices(at_, line_, line_start_);
    }
    std::uint32_t line() const { return line_; }
    std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_ + 1); }

private:
    void skip_splices(std::size_t& at, std::uint32_t& line, std::size_t& line_start) const {
        while (at < text_.size() && text_[at] == '\\') {
            std::size_t end = at + 1;
            while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t' || text_[end] == '\r'))
                ++end;
            if (end >= text_.size() || text_[end] != '\n')
                return;
            at = line_start = end + 1;
            ++line;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_start_ = 0;
    std::uint32_t line_ = 1;
};

constexpr std::array<std::string_view, 3> three_characters{"...", "<<=", ">>="};
constexpr std::array<std::string_view, 20> two_characters{"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                                          "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##"};
constexpr std::string_view one_character = "[](){}.&*+-~!/%<>^|?:;=,#";

class Lexer {
public:
    Lexer(std::string_view text, const Sources* sources, Position base) : at_(text), sources_(sources), base_(base) {}

    Tokens run() {
        Tokens tokens;
        bool starts_line = true;
        for (bool space = false;;) {
            if (at_.done())
                return tokens;
            if (is_blank(at_.now())) {
                starts_line |= at_.now() == '\n';
                space = true;
                at_.advance();
            } else if (at_.now() == '/' && (at_.next() == '/' || at_.next() == '*')) {
                skip_comment();
                space = true;
            } else {
                Token token;
                token.space_before = space;
                token.starts_line = starts_line;
                token.at = position();
                read(token);
                tokens.push_back(std::move(token));
                space = starts_line = false;
            }
        }
    }

private:
    Position position() const { return sources_ ? Position{base_.file, at_.line(), at_.column()} : base_; }

    void take(Token& token) {
        token.text += at_.now();
        at_.advance();
    }

    void skip_comment() {
        const Position start = position();
        const bool block = at_.next() == '*';
        at_.advance();
        at_.advance();
        if (!block) {
            while (!at_.done() && at_.now() != '\n')
                at_.advance();
            return;
        }
        while (!(at_.now() == '*' && at_.next() == '/')) {
            if (at_.done()) {
                const std::string_view message = "this comment is never closed";
                if (sources_)
                    sources_->fail(start, message);
                return;
            }
            at_.advance();
        }
        at_.advance();
        at_.advance();
    }

    void read(Token& token) {
        const char c = at_.now();
        if (is_identifier_start(c)) {
            token.kind = TokenKind::identifier;
            while (!at_.done() && is_identifier_part(at_.now()))
                take(token);
        } else if (is_digit(c) || (c == '.' && is_digit(at_.next()))) {
            read_number(token);
        } else if (c == '"' || c == '\'') {
            read_quoted(token, c);
        } else {
            read_punctuation(token);
        }
    }

    void read_number(Token& token) {
        token.kind = TokenKind::number;
        while (!at_.done()) {
            const char c = at_.now();
            const char last = token.text.empty() ? '\0' : token.text.back();
            const bool hexadecimal = token.text.size() > 1 && (token.text[1] == 'x' || token.text[1] == 'X');
            const bool exponent = last == 'p' || last == 'P' || (!hexadecimal && (last == 'e' || last == 'E'));
            if (!is_identifier_part(c) && c != '.' && !((c == '+' || c == '-') && exponent))
                return;
            take(token);
        }
    }

    void read_quoted(Token& token, char quote) {
        take(token);
        while (!at_.done() && at_.now() != '\n') {
            const char c = at_.now();
            take(token);
            if (c == quote) {
                token.kind = quote == '"' ? TokenKind::string : TokenKind::character;
                return;
            }
            if (c == '\\' && !at_.done() && at_.now() != '\n')
                take(token);
        }
        token.kind = TokenKind::stray; // unterminated: allowed in text that is skipped
    }

    void read_punctuation(Token& token) {
        take(token);
        if (one_character.find(token.text[0]) == std::string_view::npos)
            return;
        token.kind = TokenKind::punctuation;
        // Every three-character token starts with two characters that are a token or "..".
        const std::string two = token.text + at_.now();
        const std::string three = two + at_.next();
        for (const std::string_view known : three_characters)
            if (three == known) {
                take(token);
                take(token);
                return;
            }
        for (const std::string_view known : two_characters)
            if (two == known) {
                take(token);
                return;
            }
    }

    Cursor at_;
    const Sources* sources_;
    Position base_;
};

} // namespace

bool is_identifier_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }

Tokens lex(const Sources& sources, std::uint32_t file) {
    return Lexer(sources.text(file), &sources, {file, 0, 0}).run();
}

Tokens lex(std::string_view text, Position at) { return Lexer(text, nullptr, at).run(); }

} // namespace devq::frontend
