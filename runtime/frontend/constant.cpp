#include "constant.hpp"
#include <array>

namespace devq::frontend {

namespace {

int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

struct Operator {
    std::string_view text;
    int precedence;
};
constexpr std::array<Operator, 18> operators{{{"*", 10},
                                              {"/", 10},
                                              {"%", 10},
                                              {"+", 9},
                                              {"-", 9},
                                              {"<<", 8},
                                              {">>", 8},
                                              {"<", 7},
                                              {">", 7},
                                              {"<=", 7},
                                              {">=", 7},
                                              {"==", 6},
                                              {"!=", 6},
                                              {"&", 5},
                                              {"^", 4},
                                              {"|", 3},
                                              {"&&", 2},
                                              {"||", 1}}};

int precedence_of(const Token& token) {
    if (token.kind == TokenKind::punctuation)
        for (const Operator& known : operators)
            if (token.is(known.text))
                return known.precedence;
    return 0;
}

/// The int that a character is: a char's value, which has a sign ('\xff' is -1).
std::optional<Constant> character_value(const std::string& text) {
    if (text.size() == 3)
        return Constant{static_cast<std::uint64_t>(static_cast<signed char>(text[1])), false};
    if (text.size() < 4 || text[1] != '\\')
        return std::nullopt;
    constexpr std::string_view letters = "ntrabfv\\'\"?", values = "\n\t\r\a\b\f\v\\'\"?";
    if (const std::size_t i = letters.find(text[2]); i != std::string_view::npos && text.size() == 4)
        return Constant{static_cast<std::uint64_t>(values[i]), false};
    const bool hexadecimal = text[2] == 'x';
    if (hexadecimal && text.size() == 4)
        return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = hexadecimal ? 3 : 2; i + 1 < text.size(); ++i) {
        if (digit_of(text[i]) >= (hexadecimal ? 16 : 8))
            return std::nullopt;
        value = value * (hexadecimal ? 16 : 8) + static_cast<std::uint64_t>(digit_of(text[i]));
        if (value > 255)
            return std::nullopt;
    }
    return Constant{static_cast<std::uint64_t>(static_cast<signed char>(value)), false};
}

class Evaluator {
public:
    Evaluator(std::span<const Token> tokens, const Resolver& resolve) : tokens_(tokens), resolve_(resolve) {}

    Evaluation run() {
        if (tokens_.empty())
            return {std::nullopt, {}, "an expression is missing"};
        const Constant value = conditional();
        if (problem_.empty() && at_ < tokens_.size())
            report("'" + tokens_[at_].text + "' was not expected here");
        if (!problem_.empty())
            return {std::nullopt, problem_at_, problem_};
        return {value, {}, {}};
    }

private:
    bool failed() const { return !problem_.empty(); }
    bool next_is(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].is(text); }

    Constant report(std::string problem) {
        if (!failed()) {
            problem_ = std::move(problem);
            problem_at_ = tokens_[at_ < tokens_.size() ? at_ : tokens_.size() - 1].at;
        }
        return {};
    }

    Constant conditional() {
        const Constant condition = binary(1);
        if (failed() || !next_is("?"))
            return condition;
        if (++depth_ > deepest)
            return report("this expression is nested too deeply");
        ++at_;
        const bool outer = evaluated_;
        evaluated_ = outer && condition.truth();
        const Constant yes = conditional();
        if (!failed() && !next_is(":"))
            return report("':' is missing after '?'");
        ++at_;
        evaluated_ = outer && !condition.truth();
        const Constant no = conditional();
        evaluated_ = outer;
        --depth_;
        Constant result = condition.truth() ? yes : no;
        result.is_unsigned = yes.is_unsigned || no.is_unsigned;
        return result;
    }

    Constant binary(int least) {
        Constant left = unary();
        while (!failed() && at_ < tokens_.size()) {
            const int precedence = precedence_of(tokens_[at_]);
            if (precedence == 0 || precedence < least)
                break;
            const std::string_view op = tokens_[at_++].text;
            const bool outer = evaluated_;
            if (op == "&&" || op == "||")
                evaluated_ = outer && left.truth() == (op == "&&");
            const Constant right = binary(precedence + 1);
            evaluated_ = outer;
            if (!failed())
                left = apply(op, left, right);
        }
        return left;
    }

    Constant apply(std::string_view op, Constant a, Constant b) {
        const bool both_signed = !a.is_unsigned && !b.is_unsigned;
        const auto truth = [](bool value) { return Constant{value ? 1u : 0u, false}; };
        const auto number = [&](std::uint64_t bits) { return Constant{bits, !both_signed}; };
        if (op == "*")
            return number(a.bits * b.bits);
        if (op == "/" || op == "%")
            return divide(op == "/", a, b, both_signed);
        if (op == "+")
            return number(a.bits + b.bits);
        if (op == "-")
            return number(a.bits - b.bits);
        if (op == "<<")
            return {a.bits << (b.bits & 63), a.is_unsigned};
        if (op == ">>")
            return {a.is_unsigned ? a.bits >> (b.bits & 63) : static_cast<std::uint64_t>(a.value() >> (b.bits & 63)),
                    a.is_unsigned};
        if (op == "&")
            return number(a.bits & b.bits);
        if (op == "^")
            return number(a.bits ^ b.bits);
        if (op == "|")
            return number(a.bits | b.bits);
        if (op == "==")
            return truth(a.bits == b.bits);
        if (op == "!=")
            return truth(a.bits != b.bits);
        if (op == "&&")
            return truth(a.truth() && b.truth());
        if (op == "||")
            return truth(a.truth() || b.truth());
        const bool less = both_signed ? a.value() < b.value() : a.bits < b.bits;
        if (op == "<")
            return truth(less);
        if (op == ">=")
            return truth(!less);
        return truth((op == ">") == !(less || a.bits == b.bits));
    }

    Constant divide(bool quotient, Constant a, Constant b, bool both_signed) {
        if (!b.truth())
            return evaluated_ ? report("division by zero") : Constant{};
        if (!both_signed)
            return {quotient ? a.bits / b.bits : a.bits % b.bits, true};
        if (b.value() == -1) // INT64_MIN / -1 would trap
            return {quotient ? 0 - a.bits : 0, false};
        return {static_cast<std::uint64_t>(quotient ? a.value() / b.value() : a.value() % b.value()), false};
    }

    Constant unary() {
        if (failed())
            return {};
        if (at_ >= tokens_.size())
            return report("an operand is missing at the end");
        if (++depth_ > deepest)
            return report("this expression is nested too deeply");
        const Constant value = operand();
        --depth_;
        return value;
    }

    Constant operand() {
        const Token& token = tokens_[at_];
        if (token.is_identifier() || token.is("("))
            if (const std::optional<Resolved> known = resolve_(tokens_.subspan(at_))) {
                at_ += known->used;
                return known->is_prefix ? unary() : known->value;
            }
        ++at_;
        if (token.is("(")) {
            const Constant inner = conditional();
            if (!failed() && !next_is(")"))
                return report("')' is missing");
            ++at_;
            return inner;
        }
        if (token.is("!"))
            return {unary().truth() ? 0u : 1u, false};
        if (token.is("-")) {
            const Constant inner = unary();
            return {0 - inner.bits, inner.is_unsigned};
        }
        if (token.is("+"))
            return unary();
        if (token.is("~")) {
            const Constant inner = unary();
            return {~inner.bits, inner.is_unsigned};
        }
        std::optional<Constant> literal;
        if (token.kind == TokenKind::number)
            literal = integer_literal(token.text);
        else if (token.kind == TokenKind::character)
            literal = character_value(token.text);
        if (literal)
            return *literal;
        --at_;
        return report("'" + token.text + "' is not an integer constant");
    }

    static constexpr int deepest = 200;

    std::span<const Token> tokens_;
    const Resolver& resolve_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool evaluated_ = true; ///< false in the part that && || ?: skip
    std::string problem_;
    Position problem_at_;
};

} // namespace

std::optional<Constant> integer_literal(std::string_view text) {
    unsigned base = 10;
    if (text.size() > 1 && text[0] == '0') {
        base = 8;
        if (text[1] == 'x' || text[1] == 'X')
            base = 16;
        else if (text[1] == 'b' || text[1] == 'B')
            base = 2;
        text.remove_prefix(base == 8 ? 1 : 2);
        if (text.empty())
            return base == 8 ? std::optional<Constant>({}) : std::nullopt;
    }
    Constant result;
    std::size_t i = 0;
    for (; i < text.size() && static_cast<unsigned>(digit_of(text[i])) < base; ++i) {
        const auto digit = static_cast<std::uint64_t>(digit_of(text[i]));
        if (result.bits > (~std::uint64_t{0} - digit) / base)
            return std::nullopt;
        result.bits = result.bits * base + digit;
    }
    if (i == 0 && base != 8)
        return std::nullopt;
    int longs = 0;
    for (; i < text.size(); ++i) {
        if ((text[i] == 'u' || text[i] == 'U') && !result.is_unsigned)
            result.is_unsigned = true;
        else if ((text[i] == 'l' || text[i] == 'L') && longs < 2)
            ++longs;
        else
            return std::nullopt;
    }
    if (result.value() < 0)
        result.is_unsigned = true;
    return result;
}

Evaluation evaluate(std::span<const Token> tokens, const Resolver& resolve) { return Evaluator(tokens, resolve).run(); }

} // namespace devq::frontend
