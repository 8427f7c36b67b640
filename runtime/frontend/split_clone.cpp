#include "split_cloner.hpp"

namespace devq::frontend {

namespace {

[[noreturn]] void refuse(std::string reason, Position at) { throw SplitRefusal{std::move(reason), at}; }

} // namespace

Function Cloner::kernel(const Function& original) {
    Function copy;
    copy.name = original.name;
    copy.cpp_name = original.cpp_name;
    copy.at = original.at;
    copy.result = original.result;
    copy.is_kernel = true;
    copy.required_group = original.required_group;
    copy.local_memory = original.local_memory;
    reserve(original);
    scopes_.emplace_back();
    copy.parameters = original.parameters;
    for (Variable& parameter : copy.parameters)
        declare_name(parameter);
    copy.body = std::make_unique<Statement>();
    copy.body->kind = Statement::Kind::block;
    copy.body->at = original.body->at;
    scopes_.emplace_back();
    for (const StatementPtr& child : original.body->children)
        statement(*child, copy.body->children);
    return copy;
}

StatementPtr Cloner::declaration(Variable variable) {
    auto s = std::make_unique<Statement>();
    s->kind = Statement::Kind::declaration;
    s->at = variable.at;
    s->variables.push_back(std::move(variable));
    return s;
}

/// Functions that call others twice double with each step: that must end.
void Cloner::count(Position at) {
    constexpr std::size_t most = 20000;
    if (++statements_ > most)
        refuse("its length, with the functions that have barriers put in place of their calls", at);
}

/// Appends the copy of `s` to `out`; declarations become one statement a variable.
void Cloner::statement(const Statement& s, List& out) {
    using Kind = Statement::Kind;
    count(s.at);
    if (s.kind == Kind::goto_ || s.kind == Kind::label)
        refuse("'goto' in a kernel with barriers", s.at);
    if (s.kind == Kind::declaration) {
        for (const Variable& each : s.variables) {
            if (space_of(*each.type) == Space::local && each.type->kind != Type::Kind::pointer)
                continue; // already out of the function
            Variable variable = each;
            const Tokens initializer = std::move(variable.initializer);
            declare_name(variable);
            variable.initializer = expression(initializer, out);
            out.push_back(declaration(std::move(variable)));
        }
        return;
    }
    auto copy = std::make_unique<Statement>();
    copy->kind = s.kind;
    copy->at = s.at;
    copy->name = s.name;
    copy->unroll = s.unroll;
    const bool loop = s.kind == Kind::for_ || s.kind == Kind::while_ || s.kind == Kind::do_;
    const bool scope = s.kind == Kind::block || s.kind == Kind::for_;
    if (scope)
        scopes_.emplace_back();
    if (s.kind == Kind::for_) {
        first_part(*s.children[0], *copy, out);
        copy->children.push_back(body(*s.children[1]));
    }
    if (loop && (waiting_call(s.tokens) < s.tokens.size() || waiting_call(s.step) < s.step.size()))
        refuse("a barrier in the condition of a loop", s.at);
    if ((s.kind == Kind::switch_ || s.kind == Kind::case_) && waiting_call(s.tokens) < s.tokens.size())
        refuse("a barrier in 'switch'", s.at);
    copy->tokens = expression(s.tokens, out);
    copy->step = renamed(s.step);
    if (s.kind == Kind::block)
        for (const StatementPtr& child : s.children)
            statement(*child, copy->children);
    else if (s.kind != Kind::for_)
        for (const StatementPtr& child : s.children)
            copy->children.push_back(body(*child));
    if (scope)
        scopes_.pop_back();
    // Of a call alone only its result is left, which nobody wants.
    const bool nothing =
        s.kind == Kind::expression && copy->tokens.size() < 2 && s.tokens.size() != copy->tokens.size();
    if (!nothing)
        out.push_back(std::move(copy));
}

/// Of a for: a declaration or an expression; of several variables, all but the last go before the loop.
void Cloner::first_part(const Statement& first, Statement& loop, List& out) {
    List parts;
    statement(first, parts);
    StatementPtr last;
    if (!parts.empty()) {
        last = std::move(parts.back());
        parts.pop_back();
    } else {
        last = std::make_unique<Statement>();
        last->at = first.at;
    }
    for (StatementPtr& part : parts)
        out.push_back(std::move(part));
    loop.children.push_back(std::move(last));
}

/// The statement that an if or a loop governs, as a block.
StatementPtr Cloner::body(const Statement& s) {
    auto block = std::make_unique<Statement>();
    block->kind = Statement::Kind::block;
    block->at = s.at;
    scopes_.emplace_back();
    if (s.kind == Statement::Kind::block)
        for (const StatementPtr& child : s.children)
            statement(*child, block->children);
    else
        statement(s, block->children);
    scopes_.pop_back();
    return block;
}

Function clone_for_split(const Program& program, const Function& kernel) { return Cloner(program).kernel(kernel); }

} // namespace devq::frontend
