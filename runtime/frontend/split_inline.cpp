#include "split_cloner.hpp"
#include "split_tokens.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

[[noreturn]] void refuse(std::string reason, Position at) { throw SplitRefusal{std::move(reason), at}; }

} // namespace

/// May the call at [i, end] be left out: is it an operand of &&, || or ?:, or within one?
bool Cloner::is_conditional(const Tokens& tokens, std::size_t i, std::size_t end) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        if (at == i)
            at = end + 1;
        if (at >= tokens.size())
            break;
        const Token& token = tokens[at];
        if (opened_brackets(token) > 0)
            if (const std::size_t close = closing(tokens, at); close < i || at > end) {
                at = close; // beside the call
                continue;
            }
        if (token.is("&&") || token.is("||") || token.is("?") || token.is("DEVQ_SELECT("))
            return true;
    }
    return false;
}

/// Does a comma operator put something before the call at i? The commas between arguments and elements are none.
bool Cloner::follows_comma(const Tokens& tokens, std::size_t i) {
    struct Brackets {
        bool operands; ///< a comma directly within them is the operator
        bool comma;    ///< there was one
    };
    std::vector<Brackets> around{{true, false}};
    for (std::size_t at = 0; at < i; ++at) {
        const Token& token = tokens[at];
        const bool operands = token.is("[") || (token.is("(") && (at == 0 || !tokens[at - 1].is_identifier()));
        int opened = opened_brackets(token);
        for (; opened > 0; --opened)
            around.push_back({operands, false});
        for (; opened < 0 && around.size() > 1; ++opened)
            around.pop_back();
        if (token.is(","))
            around.back().comma = true;
    }
    return std::any_of(around.begin(), around.end(),
                       [](const Brackets& brackets) { return brackets.operands && brackets.comma; });
}

/// `tokens` with our names, and with each call of a helper that has barriers replaced by its result; the helpers'
/// bodies go to `out` before.
Tokens Cloner::expression(const Tokens& tokens, List& out) {
    Tokens rest = tokens;
    for (std::size_t i = waiting_call(rest); i < rest.size(); i = waiting_call(rest)) {
        const std::size_t end = closing(rest, i + 1);
        if (is_conditional(rest, i, end))
            refuse("a barrier in '" + rest[i].text + "' that only a part of an expression may reach", rest[i].at);
        if (follows_comma(rest, i))
            refuse("a barrier in '" + rest[i].text + "' behind a comma", rest[i].at);
        if (std::any_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(i),
                        [](const Token& token) { return token.text.find("sizeof") != token.text.npos; }))
            refuse("a barrier in '" + rest[i].text + "', which sizeof may not call", rest[i].at);
        const std::string result = inlined(rest, i, end, out);
        Token name = rest[i];
        name.text = result.empty() ? std::string("0") : result;
        name.kind = result.empty() ? TokenKind::number : TokenKind::identifier;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i), rest.begin() + static_cast<std::ptrdiff_t>(end) + 1);
        rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(i), name);
        if (!result.empty())
            scopes_.back()[result] = result;
    }
    return renamed(rest);
}

/// Puts the body of the function called at [i, end] to `out`; answers the name of the variable with its result.
std::string Cloner::inlined(const Tokens& tokens, std::size_t i, std::size_t end, List& out) {
    const auto& candidates = functions_.at(tokens[i].text);
    if (candidates.size() > 1)
        refuse("a barrier in '" + candidates[0]->name + "', which is overloaded", tokens[i].at);
    const Function& callee = *candidates[0];
    count(tokens[i].at); // also a function of one `return` may call others like it
    std::vector<Tokens> values;
    for (std::size_t begin = i + 2; begin < end;) {
        std::size_t stop = begin;
        while (stop < end && !tokens[stop].is(","))
            stop = std::max(stop + 1, opened_brackets(tokens[stop]) > 0 ? closing(tokens, stop) + 1 : stop + 1);
        Tokens value(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(stop));
        values.push_back(renamed(value));
        begin = stop + 1;
    }
    if (values.size() != callee.parameters.size())
        refuse("the arguments of '" + callee.name + "' are not understood", tokens[i].at);

    std::string result;
    if (callee.result->kind != Type::Kind::void_) {
        Variable variable;
        variable.type = callee.result;
        variable.at = tokens[i].at;
        variable.cpp_name = result = fresh(concat({"devq_result_", callee.cpp_name}));
        variable.name = variable.cpp_name;
        out.push_back(declaration(std::move(variable)));
    }
    auto block = std::make_unique<Statement>();
    block->kind = Statement::Kind::block;
    block->at = tokens[i].at;
    std::vector<std::map<std::string, std::string>> outer;
    outer.swap(scopes_);
    scopes_.emplace_back();
    for (std::size_t p = 0; p < values.size(); ++p) {
        Variable parameter = callee.parameters[p];
        if (parameter.cpp_name.empty())
            parameter.cpp_name = "devq_unnamed";
        declare_name(parameter);
        parameter.initializer = std::move(values[p]);
        block->children.push_back(declaration(std::move(parameter)));
    }
    scopes_.emplace_back();
    const auto& body = callee.body->children;
    for (std::size_t s = 0; s < body.size(); ++s) {
        if (body[s]->kind == Statement::Kind::return_ && s + 1 == body.size()) {
            if (result.empty())
                continue;
            auto assign = std::make_unique<Statement>();
            assign->kind = Statement::Kind::expression;
            assign->at = body[s]->at;
            Token target;
            target.kind = TokenKind::identifier;
            target.at = body[s]->at;
            target.text = result;
            assign->tokens.push_back(target);
            append(assign->tokens, "=", body[s]->at);
            for (Token& token : expression(body[s]->tokens, block->children))
                assign->tokens.push_back(std::move(token));
            block->children.push_back(std::move(assign));
        } else {
            refuse_returns(*body[s], callee);
            statement(*body[s], block->children);
        }
    }
    outer.swap(scopes_);
    out.push_back(std::move(block));
    return result;
}

void Cloner::refuse_returns(const Statement& s, const Function& callee) {
    if (s.kind == Statement::Kind::return_)
        refuse("'" + callee.name + "' has a barrier and returns before its end", s.at);
    for (const StatementPtr& child : s.children)
        refuse_returns(*child, callee);
}

} // namespace devq::frontend
