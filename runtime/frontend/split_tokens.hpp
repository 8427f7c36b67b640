#pragma once
/// What the rewritten tokens of an expression do to variables.

#include "syntax.hpp"
#include <functional>

namespace devq::frontend {

/// One mention of a variable.
struct Mention {
    std::size_t index = 0;   ///< of its token
    bool written = false;    ///< it, an element or a component: =, +=, ++, ...
    bool whole = false;      ///< not only an element or a component of it
    bool escapes = false;    ///< its address is taken, or it is an array that is used as a pointer
    bool to_builtin = false; ///< what escapes is the address, as an argument of a built-in function such as sincos
};

/// All expressions of a statement and of what it holds.
void each_expression(const Statement& s, const std::function<void(const Tokens&)>& visit);

using VariableLookup = std::function<const Variable*(const std::string&)>;

/// Calls visit(variable, mention) for each mention of a variable that `lookup` knows.
void each_mention(const Tokens& tokens, const VariableLookup& lookup,
                  const std::function<void(const Variable&, const Mention&)>& visit);

/// How many brackets a token opens, less those that it closes: text of our own may hold several.
int opened_brackets(const Token& token);

/// Is token i a name by itself: no member, and not called?
bool is_free_name(const Tokens& tokens, std::size_t i);

/// Is token i, an operator such as * or &, one before an operand rather than between two?
bool is_prefix(const Tokens& tokens, std::size_t i);

/// The index of the bracket that closes the one that token i opens; tokens.size() if none does.
std::size_t closing(const Tokens& tokens, std::size_t i);

/// One assignment of a run of them joined by commas ("i++, s >>= 1").
struct SimpleAssignment {
    std::size_t target = 0;         ///< index of the variable's token
    std::size_t begin = 0, end = 0; ///< the tokens of the assigned value; empty for ++ and --
    bool reads_target = false;      ///< anything but =
};

/// What the tokens assign, where they consist of nothing but assignments to whole variables; else nothing.
std::vector<SimpleAssignment> simple_assignments(const Tokens& tokens);

/// What an expression is made of, as far as moving or repeating it goes.
struct Purity {
    bool pure = true;       ///< no assignment, atomic, call of the user's functions, barrier, address
    bool loads = false;     ///< reads memory through pointers or arrays
    bool items = false;     ///< depends on the item by get_local_id or get_global_id
    bool expensive = false; ///< more than a few operations
};
Purity purity(const Tokens& tokens, std::size_t begin, std::size_t end);

} // namespace devq::frontend
