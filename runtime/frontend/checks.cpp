// Mistakes in types that the rewriting itself would let pass: said here in the words of OpenCL C, with the user's
// place, and the same for every device. Expressions' types are known only roughly, so what is unsure is left to the
// compilers.
#include "parser.hpp"
#include "tokens.hpp"
#include <algorithm>

namespace devq::frontend {

/// A constant is known when the program is built: it names no variable but for its size.
void Parser::check_constant_value(const std::string& what, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
        const Token& before = token(i - 1);
        const bool is_sized = before.is("sizeof") || (before.is("(") && token(i - 2).is("sizeof"));
        const bool is_name = token(i).is_identifier() && !before.is(".") && !before.is("->") && !is_sized;
        const Symbol* symbol = is_name ? lookup(token(i).text) : nullptr;
        if (symbol && symbol->kind == Symbol::Kind::variable && !symbol->value && symbol->type &&
            space_of(*symbol->type) != Space::constant)
            fail(token(i).at,
                 what + " cannot depend on '" + token(i).text + "', which is known only when the kernel runs");
    }
}

/// A variable as the value of another one.
void Parser::check_value(const Type& to, const Type& from, Position at) const {
    const auto fails = [&](std::string advice) {
        fail(at, "'" + describe(from) + "' does not become '" + describe(to) + "' by itself", std::move(advice));
    };
    if (is_vector(from) && to.kind == Type::Kind::scalar)
        fails("Choose a component, such as .x.");
    if (is_vector(from) && is_vector(to) && from.lanes != to.lanes)
        fails("Choose as many components.");
    if (is_vector(from) && is_vector(to) && from.scalar != to.scalar)
        fails("Use convert_ or as_ functions.");
    if ((from.kind == Type::Kind::record) != (to.kind == Type::Kind::record))
        fails({});
    if (from.kind == Type::Kind::pointer && to.kind == Type::Kind::scalar && to.scalar != ScalarType::boolean)
        fails("Name an element, as in p[0].");
}

/// A pointer leads to the same kind of memory as what it is made from, as far as sums of names tell.
void Parser::check_memory(const Type& to, const TypePtr& from, std::size_t begin, std::size_t end) const {
    if (to.kind != Type::Kind::pointer || !from || !from->element)
        return;
    for (std::size_t i = begin; i < end; ++i)
        if (token(i).is(".") || token(i).is("->") || token(i).is("(") || token(i).is("*"))
            return;
    const Space wanted = space_of(*to.element), given = space_of(*from->element);
    const auto name = [](Space space) {
        return std::string(space == Space::global     ? "global"
                           : space == Space::local    ? "local"
                           : space == Space::constant ? "constant"
                                                      : "private");
    };
    if (wanted != given)
        fail(token(begin).at,
             "this is an address in " + name(given) + " memory, and what it is given to points to " + name(wanted) +
                 " memory",
             given == Space::value ? "" : "Declare the pointer as __" + name(given) + ".");
}

/// Conditions are scalars. What built-in functions answer is known only roughly, so those with calls are let pass.
void Parser::check_condition(std::size_t begin, std::size_t end, const TypePtr& type) const {
    if (!type || (!is_vector(*type) && type->kind != Type::Kind::record))
        return;
    for (std::size_t i = begin; i < end; ++i)
        if (token(i).is_identifier() && token(i + 1).is("("))
            return;
    fail(token(begin).at, "a condition must be a scalar, this is '" + describe(*type) + "'",
         is_vector(*type) ? "Use any() or all()." : "");
}

void Parser::check_arguments(std::size_t open, const std::vector<TypePtr>& wanted,
                             const std::vector<TypePtr>& given) const {
    std::size_t i = open + 1;
    for (std::size_t n = 0; n < given.size(); ++n) {
        const std::size_t comma = std::min(find(i, ","), matching(open));
        check_memory(*wanted[n], given[n], i, comma);
        i = comma + 1;
    }
}

/// What a call answers is known only roughly, and so is what stands in parentheses.
bool Parser::has_known_type(std::size_t begin) const {
    return token(begin).kind == TokenKind::number || (token(begin).is_identifier() && !token(begin + 1).is("(")) ||
           (token(begin).is("(") && starts_type(begin + 1));
}

/// `left` is what an assignment or ++ and -- write.
void Parser::check_written(const TypePtr& left, const Token& op) const {
    if (left && left->kind == Type::Kind::array)
        fail(op.at, "an array cannot be assigned; copy its elements");
    if (left && (left->is_const || left->space == Space::constant))
        fail(op.at, "what '" + op.text + "' writes is constant: its type is '" + describe(*left) + "'");
}

/// The operands on both sides of an operator, null where unknown: those next to it, whatever binds tighter.
void Parser::check_operands(const Token& op, const TypePtr& left, const TypePtr& right) const {
    const auto is_record = [](const TypePtr& type) { return type && type->kind == Type::Kind::record; };
    if (is_record(left) && !op.is("=") && !op.is(","))
        fail(op.at, "'" + op.text + "' needs numbers, this is '" + describe(*left) + "'");
    const bool whole = op.is("%") || op.is("%=") || op.is("<<") || op.is("<<=") || op.is(">>") || op.is(">>=");
    for (const TypePtr& type : {left, is_assignment(op) ? nullptr : right})
        if (whole && type && (type->kind == Type::Kind::scalar || is_vector(*type)) && is_floating(type->scalar))
            fail(op.at, "'" + op.text + "' needs integers, this is '" + describe(*type) + "'",
                 op.text[0] == '%' ? "Use fmod." : "Use ldexp, or convert first.");
    if (!left || !right || op.is(","))
        return;
    if (!is_vector(*left) || !is_vector(*right))
        return;
    const bool arithmetic = op.is("+") || op.is("-") || op.is("*") || op.is("/");
    if (left->lanes != right->lanes || (arithmetic && left->scalar != right->scalar))
        fail(op.at, "'" + op.text + "' joins '" + describe(*left) + "' and '" + describe(*right) + "'",
             left->lanes != right->lanes ? "Choose as many components." : "Use convert_ or as_ functions.");
}

} // namespace devq::frontend
