#include "parser.hpp"
#include <algorithm>
#include <cstdlib>

namespace devq::frontend {

namespace {

/// How often "#pragma unroll 4" and its variants ask for; 0: as the loop suggests.
unsigned unroll_count(const std::string& pragma) {
    if (pragma.find("nounroll") != std::string::npos)
        return 1;
    const std::size_t digits = pragma.find_first_of("0123456789");
    if (digits == std::string::npos)
        return 0;
    const long count = std::strtol(pragma.c_str() + digits, nullptr, 10);
    return static_cast<unsigned>(std::clamp(count, 1L, 128L));
}

} // namespace

StatementPtr Parser::block() {
    const Nested nested(*this, now().at);
    auto result = std::make_unique<Statement>();
    result->kind = Statement::Kind::block;
    result->at = now().at;
    const std::size_t close = matching(at_);
    ++at_;
    scopes_.emplace_back();
    while (at_ < close)
        result->children.push_back(statement());
    scopes_.pop_back();
    at_ = close + 1;
    return result;
}

Tokens Parser::expression_until(std::size_t end) {
    Tokens result;
    if (end > at_)
        rewrite(at_, end, result);
    at_ = end;
    return result;
}

Tokens Parser::parenthesised() {
    if (!is("("))
        expect("(", "'" + token(at_ - 1).text + "'");
    const std::size_t close = matching(at_);
    if (close == at_ + 1)
        fail(now().at, "expected a condition between '(' and ')'");
    ++at_;
    Tokens result;
    check_condition(at_, close, rewrite(at_, close, result));
    at_ = close + 1;
    return result;
}

StatementPtr Parser::declaration_statement() {
    auto result = std::make_unique<Statement>();
    result->kind = Statement::Kind::declaration;
    result->at = now().at;
    result->variables = declaration();
    return result;
}

StatementPtr Parser::statement() {
    using Kind = Statement::Kind;
    const Nested nested(*this, now().at);
    unsigned unroll = 0;
    bool hinted = false;
    while (now().kind == TokenKind::pragma || (is("__attribute__") && token(at_ + 1).is("("))) {
        hinted = true;
        if (now().kind == TokenKind::pragma) {
            unroll = unroll_count(token(at_++).text);
        } else {
            Attributes hint;
            attributes(hint);
            unroll = hint.unroll;
        }
    }
    if (is("{"))
        return block();
    if (is("}") || at_ >= tokens_.size())
        fail(now().at, "expected a statement before '" + now().text + "'");
    if (is("for")) {
        StatementPtr loop = for_statement();
        if (hinted)
            loop->unroll = unroll ? unroll : std::max(loop->unroll, 16u);
        else
            loop->unroll = 0;
        return loop;
    }
    const bool names_a_type = starts_type(at_);
    const bool is_label = now().is_identifier() && token(at_ + 1).is(":") && !is("default") && !is("case");
    if (names_a_type && !is_label)
        return declaration_statement();

    auto result = std::make_unique<Statement>();
    result->at = now().at;
    const auto finish = [&](std::string_view after) { expect(";", after); };
    const auto body = [&](unsigned& inside) {
        ++inside;
        result->children.push_back(statement());
        --inside;
    };
    unsigned nowhere = 0;
    if (is_label) {
        result->kind = Kind::label;
        result->name = "user_" + now().text; // labels meet no other names, but C++ keywords
        labels_.insert(now().text);
        at_ += 2;
        body(nowhere);
    } else if (accept("if")) {
        result->kind = Kind::if_;
        result->tokens = parenthesised();
        body(nowhere);
        if (accept("else"))
            body(nowhere);
    } else if (accept("while")) {
        result->kind = Kind::while_;
        result->unroll = hinted ? std::max(unroll, 1u) : 0;
        result->tokens = parenthesised();
        body(loops_);
    } else if (accept("do")) {
        result->kind = Kind::do_;
        result->unroll = hinted ? std::max(unroll, 1u) : 0;
        body(loops_);
        expect("while", "the body of 'do'");
        result->tokens = parenthesised();
        finish("'while (...)'");
    } else if (accept("switch")) {
        result->kind = Kind::switch_;
        result->tokens = parenthesised();
        body(switches_);
    } else if (is("case") || is("default")) {
        if (switches_ == 0)
            fail(now().at, "'" + now().text + "' outside of switch");
        const bool with_value = is("case");
        result->kind = with_value ? Kind::case_ : Kind::default_;
        ++at_;
        if (with_value) {
            const std::size_t colon = find(at_, ":");
            if (!constant(at_, colon))
                check_constant_value("the value of 'case'", at_, colon);
            result->tokens = expression_until(colon);
        }
        expect(":", with_value ? "'case'" : "'default'");
        if (!is("}"))
            body(nowhere);
    } else if (accept("return")) {
        result->kind = Kind::return_;
        const std::size_t end = find(at_, ";");
        const bool wanted = function_->result->kind != Type::Kind::void_;
        if (wanted && end == at_)
            fail(result->at,
                 "'return' needs a value: '" + function_->name + "' returns '" + describe(*function_->result) + "'");
        const TypePtr type = end > at_ ? rewrite(at_, end, result->tokens) : nullptr;
        if (!wanted && type && type->kind != Type::Kind::void_)
            fail(token(at_).at, "'" + function_->name + "' returns nothing; write 'return;'");
        if (wanted && type && find(at_, ",") >= end)
            cast_pointer(function_->result, type, result->tokens, 0, token(at_).at);
        at_ = end;
        finish("'return'");
    } else if (accept("break")) {
        if (loops_ + switches_ == 0)
            fail(result->at, "'break' outside of a loop or switch");
        result->kind = Kind::break_;
        finish("'break'");
    } else if (accept("continue")) {
        if (loops_ == 0)
            fail(result->at, "'continue' outside of a loop");
        result->kind = Kind::continue_;
        finish("'continue'");
    } else if (accept("goto")) {
        result->kind = Kind::goto_;
        result->name = "user_" + now().text;
        jumps_.push_back(now());
        ++at_;
        finish("'goto'");
    } else if (is("else")) {
        fail(now().at, "'else' without 'if'");
    } else {
        if (now().is_identifier() && token(at_ + 1).is_identifier() && !lookup(now().text))
            specifiers(); // reports the unknown type
        result->kind = Kind::expression;
        result->tokens = expression_until(find(at_, ";"));
        finish("this statement");
    }
    return result;
}

StatementPtr Parser::for_statement() {
    auto result = std::make_unique<Statement>();
    result->kind = Statement::Kind::for_;
    result->at = now().at;
    ++at_;
    if (!is("("))
        expect("(", "'for'");
    const std::size_t close = matching(at_);
    ++at_;
    scopes_.emplace_back();
    if (starts_type(at_)) {
        result->children.push_back(declaration_statement());
    } else {
        auto first = std::make_unique<Statement>();
        first->at = now().at;
        first->tokens = expression_until(find(at_, ";"));
        expect(";", "the first part of 'for'");
        result->children.push_back(std::move(first));
    }
    const std::size_t condition = at_;
    const std::size_t end = find(at_, ";");
    if (end > at_)
        check_condition(at_, end, rewrite(at_, end, result->tokens));
    at_ = end;
    result->unroll = trip_count(condition, at_);
    expect(";", "the condition of 'for'");
    result->step = expression_until(close);
    at_ = close + 1;
    ++loops_;
    result->children.push_back(statement());
    --loops_;
    scopes_.pop_back();
    return result;
}

/// The bound in conditions like `i < 8`, so that "#pragma unroll" unrolls such a loop whole; 0 where there is none.
unsigned Parser::trip_count(std::size_t begin, std::size_t end) {
    if (end < begin + 3 || !token(begin).is_identifier() || !(token(begin + 1).is("<") || token(begin + 1).is("<=")))
        return 0;
    const std::optional<Constant> bound = constant(begin + 2, end);
    if (!bound || bound->value() < 0 || bound->value() > 127)
        return 0;
    return static_cast<unsigned>(bound->value()) + 1;
}

} // namespace devq::frontend
