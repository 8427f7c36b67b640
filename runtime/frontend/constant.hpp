#pragma once
/// Integer constant expressions, for #if and for array sizes, enumerators and case-like constants.

#include "token.hpp"
#include <functional>
#include <optional>
#include <span>

namespace devq::frontend {

struct Constant {
    std::uint64_t bits = 0;
    bool is_unsigned = false;
    std::int64_t value() const { return static_cast<std::int64_t>(bits); }
    bool truth() const { return bits != 0; }
};

/// What an identifier, or an opening parenthesis of a cast, means. Given the tokens from there on; answers the value
/// and the number of tokens that it used, or nothing where it knows none.
struct Resolved {
    Constant value;
    std::size_t used = 1;
    bool is_prefix = false; ///< a cast to an integer type: the operand follows, `value` is unused
};
using Resolver = std::function<std::optional<Resolved>(std::span<const Token>)>;

struct Evaluation {
    std::optional<Constant> value; ///< absent: the expression is not an integer constant
    Position at;                   ///< then: where and
    std::string problem;           ///< why
};

Evaluation evaluate(std::span<const Token> tokens, const Resolver& resolve);

/// The value of an integer literal's text ("0x1Fu"), absent if it is none or does not fit.
std::optional<Constant> integer_literal(std::string_view text);

} // namespace devq::frontend
