#include "split_writer.hpp"
#include "text.hpp"
#include <algorithm>

namespace devq::frontend {

/// The type without qualifiers, its elements' included: what an array of kept variables holds.
TypePtr SplitWriter::plain(const TypePtr& type) {
    Type copy = *type;
    if (copy.kind == Type::Kind::array)
        copy.element = plain(copy.element);
    copy.is_const = copy.is_volatile = copy.is_restrict = false;
    return std::make_shared<const Type>(std::move(copy));
}

std::string SplitWriter::array_of(const std::string& name) { return concat({"devq_kept_", name}); }

/// What runs something for each item.
std::string_view SplitWriter::region_loop() const {
    return kernel_.items_apart ? "devq_region" : "devq_region_in_order";
}

void SplitWriter::open_lambda(std::string_view function, std::string_view more) {
    out_.raw(
        concat({" ", function, sizes_, more, "[&](const devq_item_type& devq_item, const int devq_at) DEVQ_LAMBDA {"}));
}

/// The condition, asked of every item.
void SplitWriter::condition(const Statement& s) {
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

void SplitWriter::for_each_item(const Tokens& tokens) {
    open_lambda(region_loop());
    before(mentioned(tokens), {}, calls_program(tokens));
    out_.raw(" ");
    out_.tokens(tokens);
    out_.raw(";");
    after(written(tokens));
    out_.raw(" })");
}

void SplitWriter::region(const SplitNode& each) {
    if (each.statements.empty())
        return;
    Names names, writes, declared;
    bool calls = false, nothing = true;
    for (const Statement* s : each.statements) {
        each_expression(*s, [&](const Tokens& tokens) {
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
    open_lambda(region_loop());
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

void SplitWriter::statement(const Statement& s) {
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
void SplitWriter::kept_value(const Variable& variable) {
    if (variable.initializer.empty())
        return;
    out_.line(variable.at);
    const bool array = variable.type->kind == Type::Kind::array; // made in its place: a copy would be item memory
    out_.raw(array ? concat({" new (&", variable.cpp_name, ") devq_placed<devq_type<",
                             declare(*plain(variable.type), {}), ">>{"})
                   : concat({" ", variable.cpp_name, " = "}));
    out_.tokens(variable.initializer);
    out_.raw(array ? "};" : ";");
}

/// What a region needs before its statements: the variables that it mentions.
void SplitWriter::before(const Names& mentions, const Names& declared, bool calls) {
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

void SplitWriter::after(const Names& writes) {
    for (const SplitVariable* each : order_)
        if (each->place == Place::kept && !each->by_reference && writes.count(name_of(*each)) > 0)
            out_.raw(concat({" ", array_of(name_of(*each)), "[devq_at] = ", name_of(*each), ";"}));
}

VariableLookup SplitWriter::known() const {
    return [this](const std::string& name) -> const Variable* {
        const auto found = kernel_.variables.find(name);
        return found == kernel_.variables.end() ? nullptr : found->second.variable;
    };
}

SplitWriter::Names SplitWriter::mentioned(const Tokens& tokens) const {
    Names result;
    each_mention(tokens, known(), [&](const Variable& variable, const Mention&) { result.insert(variable.cpp_name); });
    return result;
}

SplitWriter::Names SplitWriter::written(const Tokens& tokens) const {
    Names result;
    each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
        if (mention.written)
            result.insert(variable.cpp_name);
    });
    return result;
}

bool SplitWriter::calls_program(const Tokens& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("devq_here."); });
}

} // namespace devq::frontend
