#include "split_tokens.hpp"
#include "builtins.hpp"
#include "tokens.hpp"
#include <unordered_set>

namespace devq::frontend {

namespace {

bool is_step(const Token& token) { return token.is("++") || token.is("--"); }

bool is_cast(const Token& token) {
    return token.kind == TokenKind::punctuation && token.text.size() > 2 && token.text.front() == '(' &&
           token.text.back() == ')';
}

/// Does an operand end with this token?
bool ends_operand(const Token& token) {
    if (token.kind != TokenKind::punctuation)
        return true;
    if (is_cast(token) || token.text.empty())
        return false;
    const char last = token.text.back();
    return last == ')' || last == ']' || last == '}' || (last >= '0' && last <= '9') || last == '_' ||
           (last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z');
}

bool is_address(const Type& type) { return type.kind == Type::Kind::pointer; }

/// Built-in functions that store one of their results through a pointer.
bool stores_through_pointer(std::string_view function) {
    static const std::unordered_set<std::string_view> known{"fract", "frexp", "lgamma_r", "remquo", "modf", "sincos"};
    return known.count(function) > 0;
}

/// Is token i within the arguments of such a function, and not deeper?
bool is_argument_of_builtin(const Tokens& tokens, std::size_t i) {
    int depth = 0;
    while (i-- > 1) {
        depth += opened_brackets(tokens[i]);
        if (depth > 0)
            return stores_through_pointer(tokens[i - 1].text);
    }
    return false;
}

} // namespace

void each_expression(const Statement& s, const std::function<void(const Tokens&)>& visit) {
    visit(s.tokens);
    visit(s.step);
    for (const Variable& variable : s.variables)
        visit(variable.initializer);
    for (const StatementPtr& child : s.children)
        each_expression(*child, visit);
}

int opened_brackets(const Token& token) {
    if (token.kind == TokenKind::string || token.kind == TokenKind::character)
        return 0;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
        const char c = token.text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (c == '(' || c == '[' || c == '{') ? 1 : (c == ')' || c == ']' || c == '}') ? -1 : 0;
    }
    return depth;
}

bool is_free_name(const Tokens& tokens, std::size_t i) {
    if (!tokens[i].is_identifier())
        return false;
    if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("devq_item.")))
        return false;
    return i + 1 >= tokens.size() || !tokens[i + 1].is("(");
}

bool is_prefix(const Tokens& tokens, std::size_t i) { return i == 0 || !ends_operand(tokens[i - 1]); }

std::size_t closing(const Tokens& tokens, std::size_t i) {
    int depth = 0;
    for (std::size_t at = i; at < tokens.size(); ++at) {
        depth += opened_brackets(tokens[at]);
        if (depth <= 0)
            return at;
    }
    return tokens.size();
}

void each_mention(const Tokens& tokens, const VariableLookup& lookup,
                  const std::function<void(const Variable&, const Mention&)>& visit) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!is_free_name(tokens, i))
            continue;
        const Variable* variable = lookup(tokens[i].text);
        if (variable == nullptr)
            continue;
        Mention mention;
        mention.index = i;
        mention.whole = true;
        bool behind_pointer = false;
        std::size_t before = i, after = i + 1;
        // Its elements and components, through parentheses around it.
        for (;;) {
            if (after < tokens.size() && tokens[after].is("[")) {
                behind_pointer |= is_address(*variable->type);
                mention.whole = false;
                after = closing(tokens, after) + 1;
            } else if (after + 1 < tokens.size() && tokens[after].is(".")) {
                mention.whole = false;
                after += 2;
            } else if (after < tokens.size() && tokens[after].is("->")) {
                behind_pointer = true;
                after += 2;
            } else if (before > 0 && tokens[before - 1].is("(") && after < tokens.size() && tokens[after].is(")") &&
                       (before < 2 || !ends_operand(tokens[before - 2]))) {
                --before;
                ++after;
            } else {
                break;
            }
        }
        const bool dereferenced = before > 0 && tokens[before - 1].is("*") && is_prefix(tokens, before - 1);
        const bool assigned = after < tokens.size() && (is_assignment(tokens[after]) || is_step(tokens[after]));
        const bool stepped = before > 0 && is_step(tokens[before - 1]);
        const bool postfix = after < tokens.size() && is_step(tokens[after]);
        // *p++ steps p, *p = x does not assign to p.
        mention.written = !behind_pointer && ((assigned && (!dereferenced || postfix)) || stepped);
        const bool address = before > 0 && tokens[before - 1].is("&") && is_prefix(tokens, before - 1);
        mention.escapes = (address && !behind_pointer) || (mention.whole && contains_array(*variable->type)) ||
                          (variable->type->kind == Type::Kind::record && contains_array(*variable->type));
        mention.to_builtin = address && !contains_array(*variable->type) && is_argument_of_builtin(tokens, before - 1);
        if (variable->type->kind == Type::Kind::array && !mention.whole) {
            // an element that is an array itself is a pointer, too
            const Type* element = variable->type.get();
            for (std::size_t at = i + 1; at < tokens.size() && tokens[at].is("[") && element->element;
                 at = closing(tokens, at) + 1)
                element = element->element.get();
            mention.escapes |= contains_array(*element);
        }
        visit(*variable, mention);
    }
}

std::vector<SimpleAssignment> simple_assignments(const Tokens& tokens) {
    std::vector<SimpleAssignment> result;
    std::size_t begin = 0;
    while (begin < tokens.size()) {
        std::size_t end = begin;
        for (int depth = 0; end < tokens.size() && !(depth == 0 && tokens[end].is(",")); ++end)
            depth += opened_brackets(tokens[end]);
        const std::size_t count = end - begin;
        SimpleAssignment one;
        one.reads_target = true;
        if (count == 2 && is_step(tokens[begin]) && tokens[begin + 1].is_identifier()) {
            one.target = begin + 1;
        } else if (count == 2 && is_step(tokens[begin + 1]) && tokens[begin].is_identifier()) {
            one.target = begin;
        } else if (count > 2 && tokens[begin].is_identifier() && is_assignment(tokens[begin + 1])) {
            one.target = begin;
            one.begin = begin + 2;
            one.end = end;
            one.reads_target = !tokens[begin + 1].is("=");
            // x <<= DEVQ_SHIFT <<= y
            if (count > 4 && is_assignment(tokens[begin + 3]) &&
                (tokens[begin + 2].is("DEVQ_SHIFT") || tokens[begin + 2].is("DEVQ_DIVIDE")))
                one.begin = begin + 4;
        } else {
            return {};
        }
        result.push_back(one);
        begin = end + 1;
    }
    return result;
}

Purity purity(const Tokens& tokens, std::size_t begin, std::size_t end) {
    static const std::unordered_set<std::string_view> cheap{"min", "max", "abs", "mul24", "mad24", "clamp"};
    static const std::unordered_set<std::string_view> of_items{"get_local_id", "get_global_id", "devq_index"};
    static const std::unordered_set<std::string_view> of_groups{
        "get_work_dim", "get_global_size", "get_local_size", "get_num_groups", "get_group_id", "get_global_offset"};
    constexpr std::size_t few = 40;
    Purity result;
    result.expensive = end - begin > few;
    for (std::size_t i = begin; i < end; ++i) {
        const Token& token = tokens[i];
        if (token.is("devq_here.") || token.is("[&]() {")) { // a call of the program's, printf
            result.pure = false;
        } else if (token.is_identifier() && i + 1 < end && tokens[i + 1].is("(") &&
                   !(i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->")))) {
            const std::string_view name = token.text;
            if (i > 0 && tokens[i - 1].is("devq_item.")) {
                result.items |= of_items.count(name) > 0;
                result.pure &= of_items.count(name) + of_groups.count(name) > 0;
                continue;
            }
            const bool loads = name.substr(0, 5) == "vload";
            const bool stores = name.substr(0, 6) == "vstore" || name.substr(0, 4) == "atom" || name == "prefetch" ||
                                name.find("mem_fence") != std::string_view::npos || stores_through_pointer(name);
            result.pure &= is_builtin_function(name) && !stores;
            result.loads |= loads;
            result.expensive |= cheap.count(name) == 0;
        } else if (token.kind == TokenKind::punctuation) {
            result.pure &= !is_assignment(token) && !is_step(token) && !(token.is("&") && is_prefix(tokens, i));
            result.loads |= token.is("[") || token.is("->") || (token.is("*") && is_prefix(tokens, i));
            result.expensive |= token.is("DEVQ_DIVIDE");
        }
    }
    return result;
}

} // namespace devq::frontend
