// Comparisons and logical operators answer int in C, and bool in C++: that shows where the type itself is asked for.
#include "parser.hpp"
#include "tokens.hpp"

namespace devq::frontend {

namespace {

/// How loosely an operator binds, the loosest first. Of `*` and kin it is not asked whether they are binary: with an
/// operand alone the answer is the same.
enum class Level { comma, assignment, choice, logical, bitwise, comparison, arithmetic, none };

Level level_of(const Token& token, bool after_operand) {
    if (token.kind != TokenKind::punctuation)
        return Level::none;
    if (token.is(","))
        return Level::comma;
    if (is_assignment(token))
        return Level::assignment;
    if (token.is("?"))
        return Level::choice;
    if (token.is("||") || token.is("&&"))
        return Level::logical;
    if (token.is("|") || token.is("^") || (token.is("&") && after_operand))
        return Level::bitwise;
    if (token.is("==") || token.is("!=") || token.is("<") || token.is(">") || token.is("<=") || token.is(">="))
        return Level::comparison;
    const bool arithmetic = token.is("+") || token.is("-") || token.is("*") || token.is("/") || token.is("%") ||
                            token.is("<<") || token.is(">>");
    return arithmetic ? Level::arithmetic : Level::none;
}

bool ends_operand(const Token& token) {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number || token.is(")") || token.is("]");
}

} // namespace

/// Is the expression a comparison, a logical operation, or made of such alone, so that its type in C++ is bool?
bool Parser::is_truth(std::size_t begin, std::size_t end) const {
    while (begin < end && token(begin).is("(") && matching(begin) + 1 == end && !starts_type(begin + 1)) {
        ++begin;
        --end;
    }
    Level loosest = Level::none;
    std::size_t place = end;
    for (std::size_t i = begin; i < end; ++i) {
        const Level level = level_of(token(i), i > begin && ends_operand(token(i - 1)));
        if (level < loosest || (level == loosest && level == Level::comma)) {
            loosest = level;
            place = i;
        }
        if (match_[i] > i)
            i = match_[i];
    }
    switch (loosest) {
    case Level::comma:
        return is_truth(place + 1, end);
    case Level::choice: {
        std::size_t colon = place + 1;
        for (unsigned open = 1; colon < end; ++colon) {
            open += token(colon).is("?") ? 1 : 0;
            if (token(colon).is(":") && --open == 0)
                break;
            if (match_[colon] > colon)
                colon = match_[colon];
        }
        return colon < end && is_truth(place + 1, colon) && is_truth(colon + 1, end);
    }
    case Level::logical:
    case Level::comparison:
        return true;
    case Level::none:
        return begin < end && token(begin).is("!");
    default:
        return false;
    }
}

/// Gives the expression at out[start] the type that it has in C.
void Parser::as_int(std::size_t begin, std::size_t end, const TypePtr& type, Tokens& out, std::size_t start) const {
    if ((type && is_vector(*type)) || !is_truth(begin, end))
        return;
    Tokens before;
    append(before, "(+(", token(begin).at);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(start), before.begin(), before.end());
    append(out, "))", token(begin).at);
}

} // namespace devq::frontend
