// Indices as host compilers understand them best. Under a condition g++ computes with int as with unsigned numbers, and
// then no longer knows that the elements of neighbouring work-items are neighbours: it makes no vectors of such loops.
// In 64 bits it does. What is written here names the same element wherever the user's own index names one at all.
#include "parser.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <algorithm>
#include <array>

namespace devq::frontend {

namespace {

/// An int, or what C makes an int of before it computes.
bool is_int(const Type& type) {
    return type.kind == Type::Kind::scalar && !type.is_address_size && type.scalar <= ScalarType::int_;
}

bool is_uint(const Type& type) {
    return type.kind == Type::Kind::scalar && !type.is_address_size && type.scalar == ScalarType::uint;
}

bool is_sign(const Token& token) { return token.is("+") || token.is("-"); }

} // namespace

/// The names that anything in these tokens may write: a variable called otherwise keeps its first value.
std::unordered_set<std::string> Parser::written_names(std::size_t begin, std::size_t end) const {
    constexpr std::array<std::string_view, 5> statements{"return", "else", "do", "case", "goto"};
    std::unordered_set<std::string> names;
    for (std::size_t i = begin; i < end; ++i) {
        if (!token(i).is_identifier())
            continue;
        std::size_t before = i - 1, after = i + 1;
        for (; before > begin && token(before).is("(") && token(after).is(")"); --before)
            ++after;
        const Token &left = token(before), &right = token(after);
        const bool declared = right.is("=") && left.is_identifier() &&
                              std::find(statements.begin(), statements.end(), left.text) == statements.end();
        const bool stepped = right.is("++") || right.is("--") || left.is("++") || left.is("--");
        if (!declared && (stepped || is_assignment(right) || left.is("&")))
            names.insert(token(i).text);
    }
    return names;
}

/// Appends a sum of products of numbers and variables in 64 bits. False where it is no such, or not of int and uint.
bool Parser::wide_sum(std::size_t begin, std::size_t end, Tokens& out, WideSum& found) const {
    for (std::size_t i = begin; i < end; ++i) {
        if (token(i).is("-") && i == begin)
            out.push_back(token(i++));
        const Token& leaf = token(i);
        if (i < end && leaf.is("(") && !starts_type(i + 1)) {
            out.push_back(leaf);
            if (!wide_sum(i + 1, matching(i), out, found))
                return false;
            i = matching(i);
            out.push_back(token(i));
        } else if (i >= end || !wide_leaf(leaf, out, found)) {
            return false;
        }
        if (++i >= end)
            return true;
        if (!is_sign(token(i)) && !token(i).is("*"))
            return false;
        found.computes = true;
        out.push_back(token(i));
    }
    return false;
}

bool Parser::wide_leaf(const Token& leaf, Tokens& out, WideSum& found) const {
    if (leaf.kind == TokenKind::number) {
        constexpr std::uint64_t most_int = 0x7fffffff;
        const std::optional<Constant> value = integer_literal(leaf.text);
        if (!value || value->bits > most_int || leaf.text.find_first_of("lL") != std::string::npos)
            return false;
        found.is_unsigned |= value->is_unsigned;
        out.push_back(leaf);
        return true;
    }
    const Symbol* symbol = leaf.is_identifier() ? lookup(leaf.text) : nullptr;
    if (!symbol || symbol->kind != Symbol::Kind::variable || !symbol->type)
        return false;
    found.is_unsigned |= is_uint(*symbol->type);
    if (!is_int(*symbol->type) && !is_uint(*symbol->type))
        return false;
    if (symbol->wide_name.empty())
        append(out, "(long)", leaf.at);
    out.push_back(leaf);
    out.back().text = symbol->wide_name.empty() ? symbol->cpp_name : symbol->wide_name;
    found.computes |= !symbol->wide_name.empty();
    return true;
}

/// What stands between the brackets of an index into `base`.
void Parser::index(const TypePtr& base, std::size_t begin, std::size_t end, Tokens& out) {
    Tokens plain, wide;
    rewrite(begin, end, plain);
    WideSum found;
    const bool known = host_forms_ && function_ && !measuring_ && wide_sum(begin, end, wide, found) && found.computes;
    if (known && !found.is_unsigned)
        plain = std::move(wide);
    else if (known && base)
        near_item(*base, begin, end, plain);
    out.insert(out.end(), plain.begin(), plain.end());
}

/// An unsigned sum with an id in it, such as `part[id - step]`, may wrap around on its way. Into less than 2^31
/// elements (arrays, local memory) the rest of the sum leads as well as a signed number.
void Parser::near_item(const Type& base, std::size_t begin, std::size_t end, Tokens& out) {
    const bool is_small =
        base.kind == Type::Kind::array || (base.kind == Type::Kind::pointer && space_of(*base.element) == Space::local);
    std::size_t id = end;
    for (std::size_t i = begin; is_small && i < end && id == end; ++i) {
        const Symbol* symbol = token(i).is_identifier() ? lookup(token(i).text) : nullptr;
        const bool alone = (i == begin || token(i - 1).is("+")) && (i + 1 == end || is_sign(token(i + 1)));
        if (symbol && symbol->is_id && alone)
            id = i;
        if (match_[i] > i)
            i = match_[i];
    }
    if (id == end)
        return;
    const Position at = token(id).at;
    Tokens rest;
    append(rest, "0u", at);
    if (id > begin && !is_sign(token(begin)))
        append(rest, "+", at);
    const std::size_t before = id > begin ? id - 1 : begin; // where the sign is that belongs to the id
    if (before > begin)
        rewrite(begin, before, rest);
    if (id + 1 < end) {
        rest.push_back(token(id + 1));
        rewrite(id + 2, end, rest);
    }
    out.clear();
    append(out, "devq_item.", at);
    append(out, "devq_index", at);
    out.back().kind = TokenKind::identifier;
    out.back().space_before = false;
    append(out, "(", at);
    out.push_back(token(id));
    out.back().text = lookup(token(id).text)->cpp_name;
    append(out, ",", at);
    out.insert(out.end(), rest.begin(), rest.end());
    append(out, ")", at);
}

/// Notes what a variable that keeps its first value means for indices: an int that is computed gets a twin of 64 bits.
void Parser::note_for_indices(Symbol& symbol, const Variable& variable, std::size_t begin, std::size_t end,
                              std::vector<Variable>& variables) {
    const Type& type = *variable.type;
    if (!host_forms_ || !function_ || variable.is_static_constant || type.is_volatile || written_.count(variable.name))
        return;
    const bool calls = token(begin).is_identifier() && begin + 1 < end && token(begin + 1).is("(") &&
                       matching(begin + 1) + 1 == end && !lookup(token(begin).text);
    symbol.is_id =
        is_uint(type) && calls &&
        (token(begin).is("get_global_id") || token(begin).is("get_local_id") || token(begin).is("get_group_id"));
    Variable twin;
    WideSum found;
    if (type.kind != Type::Kind::scalar || type.scalar != ScalarType::int_ || type.is_address_size ||
        !wide_sum(begin, end, twin.initializer, found) || found.is_unsigned || !found.computes)
        return;
    twin.name = variable.name;
    twin.cpp_name = symbol.wide_name = concat({"devq_wide_", unique_name(variable.name)});
    twin.type = make_scalar(ScalarType::long_);
    twin.at = variable.at;
    variables.push_back(std::move(twin));
}

} // namespace devq::frontend
