#include "macros.hpp"
#include "lexer.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

/// A program that grows beyond this while macros are replaced is a mistake (or meant to fill the memory).
constexpr std::size_t most_tokens = 4'000'000;
constexpr int deepest = 200;

bool is_variadic_comma(const Macro& macro, int parameter, const Tokens& output) {
    return macro.variadic && parameter + 1 == static_cast<int>(macro.parameters.size()) && !output.empty() &&
           output.back().is(",");
}

int parameter_of(const Macro& macro, const Token& token) {
    if (!token.is_identifier())
        return -1;
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
    return found == macro.parameters.end() ? -1 : static_cast<int>(found - macro.parameters.begin());
}

/// Stands for an empty operand of ##.
bool is_placemarker(const Token& token) { return token.text.empty(); }

} // namespace

Tokens Expander::expand(Tokens input, bool directive) {
    const bool outer = directive_;
    directive_ = directive;
    ++depth_;
    Stack stack;
    stack.push_back({std::move(input), 0, nullptr});
    Tokens output;
    Token token;
    while (read(stack, token)) {
        count(1, token.at);
        if (!token.is_identifier() || token.no_expand || builtin(token)) {
            output.push_back(std::move(token));
            continue;
        }
        if (directive_ && token.is("defined")) {
            output.push_back(std::move(token));
            keep_defined(stack, output);
            continue;
        }
        const auto found = macros_.find(token.text);
        if (found == macros_.end() || (found->second.opaque && !directive_)) {
            output.push_back(std::move(token));
            continue;
        }
        Macro& macro = found->second;
        if (macro.active > 0) {
            token.no_expand = true;
            output.push_back(std::move(token));
        } else if (!macro.function_like) {
            enter(stack, macro, substitute(macro, {}, token), token);
        } else if (next_is_parenthesis(stack)) {
            const std::vector<Tokens> arguments = read_arguments(stack, macro, token);
            enter(stack, macro, substitute(macro, arguments, token), token);
        } else {
            output.push_back(std::move(token));
        }
    }
    --depth_;
    directive_ = outer;
    return output;
}

/// The next token of the innermost context that has one; expansions read to their end become replaceable again.
bool Expander::read(Stack& stack, Token& token) {
    while (!stack.empty()) {
        Context& top = stack.back();
        if (top.at < top.tokens.size()) {
            token = std::move(top.tokens[top.at++]);
            return true;
        }
        if (top.macro)
            --top.macro->active;
        stack.pop_back();
    }
    return false;
}

bool Expander::next_is_parenthesis(const Stack& stack) const {
    for (auto context = stack.rbegin(); context != stack.rend(); ++context)
        if (context->at < context->tokens.size())
            return context->tokens[context->at].is("(");
    return false;
}

void Expander::enter(Stack& stack, Macro& macro, Tokens body, const Token& name) {
    count(body.size(), name.at);
    if (body.empty())
        return;
    for (Token& token : body)
        token.at = name.at; // messages and #line lead to the place of use
    body.front().space_before = name.space_before;
    body.front().starts_line = name.starts_line;
    ++macro.active;
    stack.push_back({std::move(body), 0, &macro});
}

bool Expander::builtin(Token& token) const {
    if (token.is("__LINE__")) {
        token.text = std::to_string(token.at.line);
        token.kind = TokenKind::number;
    } else if (token.is("__FILE__")) {
        token.text = "\"" + sources_.name(token.at.file) + "\"";
        token.kind = TokenKind::string;
    } else {
        return false;
    }
    return true;
}

void Expander::keep_defined(Stack& stack, Tokens& output) {
    Token token;
    const bool parenthesis = next_is_parenthesis(stack);
    for (int i = 0; i < (parenthesis ? 3 : 1) && read(stack, token); ++i)
        output.push_back(std::move(token));
}

std::vector<Tokens> Expander::read_arguments(Stack& stack, const Macro& macro, const Token& name) {
    std::vector<Tokens> arguments(1);
    Token token;
    read(stack, token); // the parenthesis
    for (int depth = 1; depth > 0;) {
        if (!read(stack, token))
            sources_.fail(name.at, "the call of macro '" + name.text + "' has no closing ')'");
        const bool last_variadic = macro.variadic && arguments.size() >= macro.parameters.size();
        if (token.is("("))
            ++depth;
        else if (token.is(")") && --depth == 0)
            break;
        else if (token.is(",") && depth == 1 && !last_variadic) {
            arguments.emplace_back();
            continue;
        }
        if (token.is_identifier() && !token.no_expand)
            if (const auto found = macros_.find(token.text); found != macros_.end() && found->second.active > 0)
                token.no_expand = true;
        token.space_before |= token.starts_line;
        token.starts_line = false;
        arguments.back().push_back(std::move(token));
    }
    const std::size_t wanted = macro.parameters.size();
    if (wanted == 0 && arguments.size() == 1 && arguments[0].empty())
        arguments.clear();
    if (macro.variadic && arguments.size() + 1 == wanted)
        arguments.emplace_back();
    if (arguments.size() != wanted)
        sources_.fail(name.at, "macro '" + name.text + "' takes " + std::to_string(wanted) + " argument" +
                                   (wanted == 1 ? "" : "s") + ", " + std::to_string(arguments.size()) + " given");
    return arguments;
}

Tokens Expander::substitute(const Macro& macro, const std::vector<Tokens>& arguments, const Token& name) {
    if (depth_ > deepest)
        sources_.fail(name.at, "macro '" + name.text + "' is nested too deeply");
    Tokens output;
    std::vector<Tokens> expanded(arguments.size());
    std::vector<bool> is_expanded(arguments.size());
    const Tokens& body = macro.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Token& token = body[i];
        const bool followed = i + 1 < body.size();
        if (macro.function_like && token.is("#") && followed && parameter_of(macro, body[i + 1]) >= 0) {
            output.push_back(stringify(arguments[static_cast<std::size_t>(parameter_of(macro, body[++i]))], token));
            continue;
        }
        if (token.is("##") && followed && i > 0) {
            const Token& right = body[++i];
            const int parameter = parameter_of(macro, right);
            if (parameter < 0) {
                paste(output, right);
                continue;
            }
            const Tokens& argument = arguments[static_cast<std::size_t>(parameter)];
            if (is_variadic_comma(macro, parameter,
                                  output)) { // ", ## __VA_ARGS__" drops the comma where there are none
                if (argument.empty())
                    output.pop_back();
                output.insert(output.end(), argument.begin(), argument.end());
            } else if (argument.empty()) {
                paste(output, Token{});
            } else {
                paste(output, argument.front());
                output.insert(output.end(), argument.begin() + 1, argument.end());
            }
            continue;
        }
        const int parameter = parameter_of(macro, token);
        if (parameter < 0) {
            output.push_back(token);
            continue;
        }
        const auto index = static_cast<std::size_t>(parameter);
        const Tokens* argument = &arguments[index];
        const bool pasted = followed && body[i + 1].is("##");
        if (pasted && argument->empty()) {
            output.push_back(Token{});
            continue;
        }
        if (!pasted) {
            if (!is_expanded[index])
                expanded[index] = expand(arguments[index], directive_);
            is_expanded[index] = true;
            argument = &expanded[index];
        }
        const std::size_t start = output.size();
        output.insert(output.end(), argument->begin(), argument->end());
        count(argument->size(), name.at);
        if (output.size() > start)
            output[start].space_before = token.space_before;
    }
    std::erase_if(output, is_placemarker);
    return output;
}

void Expander::paste(Tokens& output, const Token& right) {
    if (output.empty() || is_placemarker(output.back())) {
        if (!output.empty())
            output.pop_back();
        output.push_back(right);
        return;
    }
    if (is_placemarker(right))
        return;
    Token& left = output.back();
    Tokens joined = lex(left.text + right.text, left.at);
    if (joined.size() != 1) { // not one token: as other compilers do, leave both
        output.push_back(right);
        return;
    }
    joined[0].space_before = left.space_before;
    joined[0].starts_line = left.starts_line;
    left = std::move(joined[0]);
}

Token Expander::stringify(const Tokens& argument, const Token& hash) {
    Token result = hash;
    result.kind = TokenKind::string;
    result.text.assign(1, '"');
    for (const Token& token : argument) {
        if (result.text.size() > 1 && token.space_before)
            result.text += ' ';
        const bool quoted = token.kind == TokenKind::string || token.kind == TokenKind::character;
        for (const char c : token.text) {
            if (quoted && (c == '"' || c == '\\'))
                result.text += '\\';
            result.text += c;
        }
    }
    result.text += '"';
    return result;
}

void Expander::count(std::size_t tokens, Position at) {
    produced_ += tokens;
    if (produced_ > most_tokens)
        sources_.fail(at, "this program grows beyond " + std::to_string(most_tokens) +
                              " tokens when its macros are replaced");
}

} // namespace devq::frontend
