#include "split.hpp"
#include "split_tokens.hpp"
#include "text.hpp"
#include "write_program.hpp"
#include <algorithm>
#include <set>

namespace devq::frontend {

namespace {

using Place = SplitVariable::Place;

/// The type without qualifiers, its elements' included: what an array of kept variables holds.
TypePtr plain(const TypePtr& type) {
    Type copy = *type;
    if (copy.kind == Type::Kind::array)
        copy.element = plain(copy.element);
    copy.is_const = copy.is_volatile = copy.is_restrict = false;
    return std::make_shared<const Type>(std::move(copy));
}

std::string array_of(const std::string& name) { return concat({"devq_kept_", name}); }

class SplitWriter {
public:
    SplitWriter(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer)
        : kernel_(kernel), out_(out), writer_(writer) {
        const auto& group = kernel.copy.required_group;
        sizes_ = concat({"<", std::to_string(group[0]), ", ", std::to_string(group[1]), ", ", std::to_string(group[2]),
                         ">(devq_item, "});
        for (const auto& [name, variable] : kernel.variables)
            order_.push_back(&variable);
        std::sort(order_.begin(), order_.end(),
                  [](const SplitVariable* a, const SplitVariable* b) { return a->order < b->order; });
    }

    void write() {
        const Function& copy = kernel_.copy;
        out_.line(copy.at);
        out_.raw(concat({"DEVQ_MEMBER bool ", split_member(copy), "(", parameter_list(copy), ") {"}));
        local_memory_references(copy, out_);
        out_.raw(" bool devq_apart = false; devq_split_room devq_room(devq_item.dispatch);");
        for (const SplitVariable* each : order_)
            if (each->place == Place::kept)
                out_.raw(concat({" auto* const ", array_of(name_of(*each)), " = devq_room.take<devq_type<",
                                 declare(*plain(each->variable->type), {}), ">>();"}));
        for (const SplitVariable* each : order_)
            if (each->place == Place::kept && each->is_parameter) {
                open_lambda("devq_region");
                out_.raw(concat({" ", array_of(name_of(*each)), "[devq_at] = ", name_of(*each), "; });"}));
            }
        nodes(kernel_.nodes);
        out_.raw(" return true; }\n");
    }

private:
    using Names = std::set<std::string>;

    static const std::string& name_of(const SplitVariable& variable) { return variable.variable->cpp_name; }

    void nodes(const std::vector<SplitNode>& list) {
        for (const SplitNode& each : list)
            node(each);
    }

    void node(const SplitNode& each) {
        switch (each.kind) {
        case SplitNode::Kind::region:
            region(each);
            break;
        case SplitNode::Kind::uniform:
            out_.line(each.statement->at);
            out_.raw(" ");
            writer_.statement(*each.statement);
            break;
        case SplitNode::Kind::branch:
            branch(each);
            break;
        case SplitNode::Kind::loop:
            loop(each);
            break;
        case SplitNode::Kind::block:
            out_.raw(" {");
            nodes(each.children);
            out_.raw(" }");
            break;
        case SplitNode::Kind::jump:
            out_.line(each.statement->at);
            if (each.statement->kind == Statement::Kind::return_)
                out_.raw(" return true;");
            else
                writer_.statement(*each.statement);
            break;
        case SplitNode::Kind::barrier:
            break;
        }
    }

    void branch(const SplitNode& each) {
        out_.line(each.statement->at);
        if (each.uniform_condition) {
            out_.raw(" { const bool devq_yes = (");
            out_.tokens(each.statement->tokens);
            out_.raw(") ? true : false;");
        } else {
            out_.raw(" { const bool devq_yes = ");
            condition(*each.statement);
            out_.raw("; if (devq_apart) return false;");
        }
        out_.raw(" if (devq_yes)");
        node(each.children[0]);
        if (each.children.size() > 1) {
            out_.raw(" else");
            node(each.children[1]);
        }
        out_.raw(" }");
    }

    void loop(const SplitNode& each) {
        const Statement& s = *each.statement;
        out_.raw(" {");
        if (each.children.size() > 1)
            node(each.children[0]);
        out_.line(s.at);
        if (s.kind == Statement::Kind::do_) {
            out_.raw(" do");
            node(each.children.back());
        }
        out_.raw(s.kind == Statement::Kind::for_ ? " for (; " : " while (");
        if (!each.uniform_condition)
            condition(s);
        else
            out_.tokens(s.tokens);
        if (s.kind == Statement::Kind::for_) {
            out_.raw("; ");
            if (each.uniform_step)
                out_.tokens(s.step);
            else
                for_each_item(s.step);
        }
        out_.raw(s.kind == Statement::Kind::do_ ? ");" : ")");
        if (s.kind != Statement::Kind::do_)
            node(each.children.back());
        if (!each.uniform_condition)
            out_.raw(" if (devq_apart) return false;");
        out_.raw(" }");
    }

    void open_lambda(std::string_view function, std::string_view more = {}) {
        out_.raw(concat(
            {" ", function, sizes_, more, "[&](const devq_item_type& devq_item, const int devq_at) DEVQ_LAMBDA {"}));
    }

    /// The condition, asked of every item.
    void condition(const Statement& s) {
        const Names names = mentioned(s.tokens);
        open_lambda("devq_agree", "devq_apart, ");
        before(names, {}, calls_program(s.tokens));
        out_.line(s.at);
        out_.raw(" const bool devq_answer = (");
        out_.tokens(s.tokens);
        out_.raw(") ? true : false;");
        after(written(s.tokens));
        out_.raw(" return devq_answer; })");
    }

    void for_each_item(const Tokens& tokens) {
        open_lambda("devq_region");
        before(mentioned(tokens), {}, calls_program(tokens));
        out_.raw(" ");
        out_.tokens(tokens);
        out_.raw(";");
        after(written(tokens));
        out_.raw(" })");
    }

    void region(const SplitNode& each) {
        if (each.statements.empty())
            return;
        Names names, writes, declared;
        bool calls = false, nothing = true;
        for (const Statement* s : each.statements) {
            visit(*s, [&](const Tokens& tokens) {
                names.merge(mentioned(tokens));
                writes.merge(written(tokens));
                calls |= calls_program(tokens);
                nothing &= tokens.empty();
            });
            for (const Variable& variable : s->variables) {
                declared.insert(variable.cpp_name);
                names.insert(variable.cpp_name);
                if (!variable.initializer.empty())
                    writes.insert(variable.cpp_name);
            }
        }
        if (nothing && std::all_of(each.statements.begin(), each.statements.end(), [](const Statement* s) {
                return s->kind == Statement::Kind::declaration || s->kind == Statement::Kind::expression;
            }))
            return;
        out_.line(each.statements[0]->at);
        open_lambda("devq_region");
        before(names, declared, calls);
        if (each.leaves_early)
            out_.raw(" [&]() DEVQ_LAMBDA {");
        // Where it is left early, a copy that is declared inside could not be kept: it is declared before.
        for (const Statement* s : each.statements)
            statement(*s);
        if (each.leaves_early)
            out_.raw(" }();");
        after(writes);
        out_.raw(" });");
    }

    void statement(const Statement& s) {
        for (const auto& [name, variable] : kernel_.variables)
            if (variable.place == Place::inside && variable.moved_before == &s) {
                out_.line(variable.variable->at);
                out_.raw(concat({" ", declare(*plain(variable.variable->type), name), ";"}));
            }
        if (s.kind != Statement::Kind::declaration) {
            writer_.statement(s);
            return;
        }
        for (const Variable& variable : s.variables) {
            const auto known = kernel_.variables.find(variable.cpp_name);
            if (known == kernel_.variables.end()) {
                writer_.statement(s);
                return;
            }
            const SplitVariable& placed = known->second;
            if (placed.place == Place::kept)
                kept_value(variable);
            else if (placed.place == Place::inside && placed.moved_before == nullptr)
                writer_.statement(s);
        }
    }

    /// The declaration of a kept variable: it has its place already.
    void kept_value(const Variable& variable) {
        if (variable.initializer.empty())
            return;
        out_.line(variable.at);
        const bool array = variable.type->kind == Type::Kind::array;
        out_.raw(array ? concat({" { ", declare(*plain(variable.type), "devq_value"), " = "})
                       : concat({" ", variable.cpp_name, " = "}));
        out_.tokens(variable.initializer);
        out_.raw(array ? concat({"; __builtin_memcpy(&", variable.cpp_name, ", &devq_value, sizeof devq_value); }"})
                       : std::string(";"));
    }

    /// What a region needs before its statements: the variables that it mentions.
    void before(const Names& mentions, const Names& declared, bool calls) {
        Names names = mentions;
        for (bool grew = true; grew;) {
            const std::size_t count = names.size();
            for (const SplitVariable* each : order_)
                if (each->place == Place::repeated && names.count(name_of(*each)) > 0)
                    names.merge(mentioned(each->variable->initializer));
            grew = names.size() != count;
        }
        if (calls)
            out_.raw(" devq_program devq_here{devq_item};");
        for (const SplitVariable* each : order_) {
            const std::string& name = name_of(*each);
            if (names.count(name) == 0)
                continue;
            const Variable& variable = *each->variable;
            if (each->place == Place::repeated) {
                out_.line(variable.at);
                out_.raw(concat({" ", declare(*variable.type, name), " = "}));
                out_.tokens(variable.initializer);
                out_.raw(";");
            } else if (each->place == Place::kept && each->by_reference) {
                out_.raw(concat({" auto& ", name, " = ", array_of(name), "[devq_at];"}));
            } else if (each->place == Place::kept) {
                out_.raw(concat({" ", declare(*plain(variable.type), name)}));
                out_.raw(declared.count(name) > 0 ? std::string(";") : concat({" = ", array_of(name), "[devq_at];"}));
            }
        }
    }

    void after(const Names& writes) {
        for (const SplitVariable* each : order_)
            if (each->place == Place::kept && !each->by_reference && writes.count(name_of(*each)) > 0)
                out_.raw(concat({" ", array_of(name_of(*each)), "[devq_at] = ", name_of(*each), ";"}));
    }

    VariableLookup known() const {
        return [this](const std::string& name) -> const Variable* {
            const auto found = kernel_.variables.find(name);
            return found == kernel_.variables.end() ? nullptr : found->second.variable;
        };
    }

    Names mentioned(const Tokens& tokens) const {
        Names result;
        each_mention(tokens, known(),
                     [&](const Variable& variable, const Mention&) { result.insert(variable.cpp_name); });
        return result;
    }

    Names written(const Tokens& tokens) const {
        Names result;
        each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
            if (mention.written)
                result.insert(variable.cpp_name);
        });
        return result;
    }

    static bool calls_program(const Tokens& tokens) {
        return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("devq_here."); });
    }

    static void visit(const Statement& s, const std::function<void(const Tokens&)>& each) {
        each(s.tokens);
        each(s.step);
        for (const Variable& variable : s.variables)
            each(variable.initializer);
        for (const StatementPtr& child : s.children)
            visit(*child, each);
    }

    const SplitKernel& kernel_;
    TextWriter& out_;
    ProgramWriter& writer_;
    std::string sizes_;
    std::vector<const SplitVariable*> order_; ///< of declaration
};

} // namespace

std::string split_member(const Function& kernel) { return concat({"devq_split_", kernel.name}); }

void write_split(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer) {
    SplitWriter(kernel, out, writer).write();
}

SplitRoom room_of(const SplitKernel& kernel) {
    SplitRoom room;
    for (const auto& [name, variable] : kernel.variables)
        if (variable.place == Place::kept) {
            room.bytes_an_item += size_of(*variable.variable->type).value_or(0);
            room.bytes_a_group += split_alignment;
        }
    return room;
}

} // namespace devq::frontend
