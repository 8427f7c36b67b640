#include "split.hpp"
#include "split_tokens.hpp"
#include "text.hpp"
#include "tokens.hpp"
#include <algorithm>
#include <set>

namespace devq::frontend {

namespace {

[[noreturn]] void refuse(std::string reason, Position at) { throw SplitRefusal{std::move(reason), at}; }

class Cloner {
public:
    explicit Cloner(const Program& program) {
        for (const Function& function : program.functions) {
            functions_[function.cpp_name].push_back(&function);
            by_name_[function.name].push_back(&function);
        }
        for (const Function& function : program.functions)
            visit(function);
        for (const Variable& constant : program.constants) // a variable that hides one gets a name of its own
            used_.insert(constant.cpp_name);
    }

    Function kernel(const Function& original) {
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

private:
    using List = std::vector<StatementPtr>;

    /// Notes whether it reaches a barrier. Programs do not recurse.
    bool visit(const Function& function) {
        if (!visited_.insert(&function).second)
            return barriers_.count(function.cpp_name) > 0;
        bool reaches = function.has_barrier;
        for (const Call& call : function.calls)
            for (const Function* callee : by_name_[call.function])
                reaches |= visit(*callee);
        if (reaches)
            barriers_.insert(function.cpp_name);
        return reaches;
    }

    /// Names that a variable must not take, since they mean something else in this function or in what it calls.
    void reserve(const Function& function) {
        if (!read_.insert(&function).second)
            return;
        reserve(*function.body);
        for (const Variable& parameter : function.parameters)
            reserved_.insert(parameter.cpp_name);
        for (const Call& call : function.calls)
            for (const Function* callee : by_name_[call.function])
                reserve(*callee);
    }
    void reserve(const Statement& s) {
        const auto all = [this](const Tokens& tokens) {
            for (const Token& token : tokens)
                if (token.is_identifier())
                    reserved_.insert(token.text);
        };
        all(s.tokens);
        all(s.step);
        for (const Variable& variable : s.variables) {
            reserved_.insert(variable.cpp_name);
            all(variable.initializer);
        }
        for (const StatementPtr& child : s.children)
            reserve(*child);
    }

    std::string fresh(const std::string& name) {
        if (used_.insert(name).second)
            return name;
        for (unsigned n = 2;; ++n) {
            std::string candidate = concat({name, "_", std::to_string(n)});
            if (reserved_.count(candidate) == 0 && used_.insert(candidate).second)
                return candidate;
        }
    }

    void declare_name(Variable& variable) {
        if (variable.cpp_name.empty())
            return;
        const std::string name = fresh(variable.cpp_name);
        scopes_.back()[variable.cpp_name] = name;
        variable.cpp_name = name;
    }

    Tokens renamed(const Tokens& tokens) const {
        Tokens result;
        result.reserve(tokens.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (is_free_name(tokens, i)) {
                result.push_back(tokens[i]);
                for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
                    if (const auto found = scope->find(tokens[i].text); found != scope->end()) {
                        result.back().text = found->second;
                        break;
                    }
                continue;
            }
            if (is_call(tokens, i)) { // in a region, of the item that it is run for
                append(result, "devq_here.", tokens[i].at);
                result.back().space_before = tokens[i].space_before;
                result.push_back(tokens[i]);
                result.back().space_before = false;
                continue;
            }
            result.push_back(tokens[i]);
        }
        return result;
    }

    /// Of a function of the program?
    bool is_call(const Tokens& tokens, std::size_t i) const {
        return tokens[i].is_identifier() && i + 1 < tokens.size() && tokens[i + 1].is("(") &&
               !(i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("devq_item."))) &&
               functions_.count(tokens[i].text) > 0;
    }

    /// The last one, so that a call among another's arguments comes before it.
    std::size_t waiting_call(const Tokens& tokens) const {
        for (std::size_t i = tokens.size(); i-- > 0;)
            if (is_call(tokens, i) && barriers_.count(tokens[i].text) > 0)
                return i;
        return tokens.size();
    }

    /// May the call at [i, end] be left out: is it an operand of &&, || or ?:, or within one?
    static bool is_conditional(const Tokens& tokens, std::size_t i, std::size_t end) {
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
    static bool follows_comma(const Tokens& tokens, std::size_t i) {
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
    Tokens expression(const Tokens& tokens, List& out) {
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
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i),
                       rest.begin() + static_cast<std::ptrdiff_t>(end) + 1);
            rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(i), name);
            if (!result.empty())
                scopes_.back()[result] = result;
        }
        return renamed(rest);
    }

    /// Puts the body of the function called at [i, end] to `out`; answers the name of the variable with its result.
    std::string inlined(const Tokens& tokens, std::size_t i, std::size_t end, List& out) {
        const auto& candidates = functions_.at(tokens[i].text);
        if (candidates.size() > 1)
            refuse("a barrier in '" + candidates[0]->name + "', which is overloaded", tokens[i].at);
        const Function& callee = *candidates[0];
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

    static void refuse_returns(const Statement& s, const Function& callee) {
        if (s.kind == Statement::Kind::return_)
            refuse("'" + callee.name + "' has a barrier and returns before its end", s.at);
        for (const StatementPtr& child : s.children)
            refuse_returns(*child, callee);
    }

    static StatementPtr declaration(Variable variable) {
        auto s = std::make_unique<Statement>();
        s->kind = Statement::Kind::declaration;
        s->at = variable.at;
        s->variables.push_back(std::move(variable));
        return s;
    }

    /// Appends the copy of `s` to `out`; declarations become one statement a variable.
    void statement(const Statement& s, List& out) {
        using Kind = Statement::Kind;
        constexpr std::size_t most = 20000;
        if (++statements_ > most)
            refuse("its length, with the functions that have barriers put in place of their calls", s.at);
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
    void first_part(const Statement& first, Statement& loop, List& out) {
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
    StatementPtr body(const Statement& s) {
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

    std::map<std::string, std::vector<const Function*>> functions_, by_name_; ///< by cpp_name; as the user calls them
    std::set<const Function*> visited_, read_;
    std::size_t statements_ = 0;
    std::set<std::string> barriers_; ///< functions that reach one, by cpp_name
    std::set<std::string> reserved_, used_;
    std::vector<std::map<std::string, std::string>> scopes_;
};

} // namespace

Function clone_for_split(const Program& program, const Function& kernel) { return Cloner(program).kernel(kernel); }

} // namespace devq::frontend
