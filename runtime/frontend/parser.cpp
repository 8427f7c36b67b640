#include "parser.hpp"
#include "builtins.hpp"
#include <algorithm>
#include <utility>

namespace devq::frontend {

namespace {

/// A stray character as a message can carry it: a NUL would end what(), other bytes are no text.
std::string shown(const std::string& text) {
    const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (printable)
        return "'" + text + "'";
    constexpr std::string_view digits = "0123456789abcdef";
    std::string bytes = text.size() == 1 ? "byte" : "bytes";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        bytes += std::string(" 0x") + digits[byte / 16U] + digits[byte % 16U];
    }
    return bytes;
}

bool is_loop_word(const Token& token) { return token.is("for") || token.is("while") || token.is("do"); }

} // namespace

Program parse_program(const Sources& sources, const Tokens& tokens, bool host_forms) {
    return Parser(sources, tokens, host_forms).run();
}

Parser::Parser(const Sources& sources, const Tokens& tokens, bool host_forms)
    : sources_(sources), host_forms_(host_forms) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool hint = tokens[i].kind == TokenKind::pragma && tokens[i].text.find("unroll") != std::string::npos &&
                          i + 1 < tokens.size() && is_loop_word(tokens[i + 1]);
        if (tokens[i].kind != TokenKind::pragma || hint)
            tokens_.push_back(tokens[i]);
    }
    end_.kind = TokenKind::punctuation; // with no text: equal to nothing that is looked for
    if (!tokens_.empty())
        end_.at = tokens_.back().at;
    match_brackets();
    scopes_.emplace_back();
}

Program Parser::run() {
    while (at_ < tokens_.size())
        external_declaration();
    return std::move(program_);
}

void Parser::fail(Position at, const std::string& message, std::string advice) const {
    sources_.fail(at, message, std::move(advice));
}

void Parser::match_brackets() {
    constexpr std::string_view open = "([{", close = ")]}";
    match_.assign(tokens_.size(), 0);
    std::vector<std::size_t> stack;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const Token& token = tokens_[i];
        if (token.kind == TokenKind::stray)
            fail(token.at, token.text[0] == '"' || token.text[0] == '\''
                               ? "this " + std::string(token.text[0] == '"' ? "string" : "character") +
                                     " is not closed on its line"
                               : "stray " + shown(token.text) + " in the program");
        if (token.kind != TokenKind::punctuation || token.text.size() != 1)
            continue;
        if (open.find(token.text[0]) != std::string_view::npos) {
            stack.push_back(i);
        } else if (const std::size_t which = close.find(token.text[0]); which != std::string_view::npos) {
            if (stack.empty())
                fail(token.at, "'" + token.text + "' closes nothing");
            const Token& opened = tokens_[stack.back()];
            if (opened.text[0] != open[which] && token.is("}"))
                fail(opened.at, "this '" + opened.text + "' is never closed");
            if (opened.text[0] != open[which])
                fail(token.at, "'" + token.text + "' does not fit the '" + opened.text + "' of line " +
                                   std::to_string(opened.at.line));
            match_[stack.back()] = i;
            stack.pop_back();
        }
    }
    if (!stack.empty())
        fail(tokens_[stack.back()].at, "this '" + tokens_[stack.back()].text + "' is never closed");
}

bool Parser::accept(std::string_view text) {
    if (!is(text))
        return false;
    ++at_;
    return true;
}

void Parser::expect(std::string_view text, std::string_view after) {
    if (accept(text))
        return;
    // Right after the last token is where the missing one belongs.
    Position place = now().at;
    if (at_ > 0 && (now().starts_line || at_ >= tokens_.size())) {
        place = token(at_ - 1).at;
        place.column += static_cast<std::uint32_t>(token(at_ - 1).text.size());
    }
    fail(place, "expected '" + std::string(text) + "' after " + std::string(after));
}

/// The first token from `from` on, outside any bracket opened on the way, that is one of two; else the first `;`, which
/// ends what is looked through (so that long blocks take no time that grows with their square), closing bracket or the
/// end.
std::size_t Parser::find(std::size_t from, std::string_view first, std::string_view second) const {
    for (std::size_t i = from; i < tokens_.size(); ++i) {
        const Token& here = tokens_[i];
        if (here.is(first) || (!second.empty() && here.is(second)) || here.is(";") || here.is(")") || here.is("]") ||
            here.is("}"))
            return i;
        if (match_[i] > i)
            i = match_[i];
    }
    return tokens_.size();
}

const Parser::Symbol* Parser::lookup(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->names.find(name); found != scope->names.end())
            return &found->second;
    return nullptr;
}

/// What a mistyped name may have meant.
std::vector<std::string> Parser::names_in_scope(bool types) const {
    std::vector<std::string> result;
    for (const Scope& scope : scopes_)
        for (const auto& [name, symbol] : scope.names)
            if ((symbol.kind == Symbol::Kind::type) == types)
                result.push_back(name);
    return result;
}

std::shared_ptr<Record> Parser::lookup_tag(const std::string& tag) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->tags.find(tag); found != scope->tags.end())
            return found->second;
    return nullptr;
}

Parser::Symbol& Parser::declare_name(const std::string& name, Symbol symbol) {
    auto& names = scopes_.back().names;
    if (const auto found = names.find(name); found != names.end()) {
        const bool again = symbol.kind == found->second.kind &&
                           (symbol.kind == Symbol::Kind::function || symbol.kind == Symbol::Kind::type);
        if (!again)
            fail(symbol.at,
                 "'" + name + "' is declared twice; the first time in line " + std::to_string(found->second.at.line));
    }
    return names[name] = std::move(symbol);
}

std::string Parser::unique_name(const std::string& name) { return cpp_name(name) + "_" + std::to_string(++unique_); }

std::optional<Constant> Parser::constant(std::size_t begin, std::size_t end) {
    return evaluate(std::span<const Token>(tokens_).subspan(begin, end - begin),
                    [this](std::span<const Token> from) { return resolve(from); })
        .value;
}

Constant Parser::required_constant(std::size_t begin, std::size_t end, std::string_view what) {
    const Evaluation result = evaluate(std::span<const Token>(tokens_).subspan(begin, end - begin),
                                       [this](std::span<const Token> from) { return resolve(from); });
    if (!result.value)
        fail(result.at.line ? result.at : token(begin).at,
             std::string(what) + " must be an integer constant: " + result.problem);
    return *result.value;
}

/// Names, sizeof and casts in constant expressions.
std::optional<Resolved> Parser::resolve(std::span<const Token> from) {
    const auto index = static_cast<std::size_t>(from.data() - tokens_.data());
    if (from[0].is("(")) {
        if (!starts_type(index + 1))
            return std::nullopt;
        std::size_t end = index + 1;
        const TypePtr type = type_name(end);
        if (value_kind(*type) == ValueKind::floating)
            return std::nullopt;
        return Resolved{{}, end + 1 - index, true};
    }
    if (from[0].is("sizeof") && from.size() > 1 && from[1].is("(")) {
        const std::size_t close = matching(index + 1);
        std::size_t end = index + 2;
        Tokens ignored;
        const bool outer = std::exchange(measuring_, true);
        const TypePtr type = starts_type(end) ? type_name(end) : rewrite(end, close, ignored);
        measuring_ = outer;
        const std::optional<std::size_t> size = type ? size_of(*type) : std::nullopt;
        if (!size)
            return std::nullopt;
        return Resolved{{*size, true}, close + 1 - index, false};
    }
    if (const Symbol* symbol = lookup(from[0].text))
        return symbol->value ? std::optional(Resolved{*symbol->value, 1, false}) : std::nullopt;
    for (const PredefinedMacro& macro : predefined_macros())
        if (macro.name == from[0].text)
            if (const auto value = integer_literal(macro.value))
                return Resolved{*value, 1, false};
    return std::nullopt;
}

} // namespace devq::frontend
