#include "item_memory.hpp"
#include "split_placement.hpp"
#include <algorithm>

namespace devq::frontend {

void Placement::find_definitions(const std::vector<SplitNode>& nodes, const SplitNode* header) {
    const auto look = [this](const Tokens& tokens, const SplitNode* loop) {
        each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
            Facts& facts = facts_[variable.cpp_name];
            facts.escapes |= mention.escapes;
            facts.in_memory |= mention.escapes && !mention.to_builtin;
            if (mention.written && loop != nullptr)
                facts.headers.insert(loop);
            else
                facts.written_aside |= mention.written;
        });
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const SplitNode& node = nodes[i];
        for (const Statement* s : node.statements)
            each_expression(*s, [&](const Tokens& tokens) { look(tokens, i == 0 ? header : nullptr); });
        if (node.kind == Kind::loop || node.kind == Kind::branch)
            look(node.statement->tokens, node.kind == Kind::loop ? &node : nullptr);
        if (node.kind == Kind::loop) {
            look(node.statement->step, &node);
            const bool has_first = node.children.size() > 1;
            find_definitions(node.children, has_first ? &node : nullptr);
        } else {
            find_definitions(node.children);
        }
    }
}

/// Does a uniform variable keep its value while a variable declared within `loops` lives?
bool Placement::is_stable(const std::string& name, const std::vector<const SplitNode*>& loops) const {
    const auto found = facts_.find(name);
    if (found == facts_.end())
        return true;
    const Facts& facts = found->second;
    return !facts.written_aside &&
           std::all_of(facts.headers.begin(), facts.headers.end(), [&](const SplitNode* header) {
               return std::find(loops.begin(), loops.end(), header) != loops.end();
           });
}

std::vector<SplitVariable*> Placement::in_order() {
    std::vector<SplitVariable*> result;
    for (auto& [name, variable] : variables_)
        result.push_back(&variable);
    std::sort(result.begin(), result.end(),
              [](const SplitVariable* a, const SplitVariable* b) { return a->order < b->order; });
    return result;
}

void Placement::find_repeated() {
    for (SplitVariable* each : in_order()) {
        const Variable& variable = *each->variable;
        const Facts& facts = facts_[variable.cpp_name];
        const Tokens& value = variable.initializer;
        if (each->place == Place::uniform || each->is_parameter || !is_simple(*variable.type) || value.empty() ||
            value[0].is("{") || facts.written_aside || !facts.headers.empty() || facts.escapes)
            continue;
        const Purity found = purity(value, 0, value.size());
        bool good = found.pure && !found.loads && !found.expensive;
        for (std::size_t i = 0; good && i < value.size(); ++i) {
            if (!is_free_name(value, i))
                continue;
            const auto used = variables_.find(value[i].text);
            good = used == variables_.end() || used->second.place == Place::repeated ||
                   (used->second.place == Place::uniform && is_stable(value[i].text, facts.loops));
        }
        if (good)
            each->place = Place::repeated;
    }
}

void Placement::use(const Tokens& tokens, std::size_t region) {
    each_mention(tokens, known(),
                 [&](const Variable& variable, const Mention&) { facts_[variable.cpp_name].uses.insert(region); });
}

void Placement::find_uses(const std::vector<SplitNode>& nodes) {
    for (const SplitNode& node : nodes) {
        if (node.kind == Kind::region) {
            ++region_;
            for (const Statement* s : node.statements)
                use_in_region(*s);
        }
        if ((node.kind == Kind::loop || node.kind == Kind::branch) && !node.uniform_condition)
            use(node.statement->tokens, ++region_);
        if (node.kind == Kind::loop && !node.uniform_step)
            use(node.statement->step, ++region_);
        find_uses(node.children);
    }
}

void Placement::use_in_region(const Statement& s) {
    if (s.kind == Statement::Kind::declaration)
        for (const Variable& variable : s.variables)
            if (const auto found = facts_.find(variable.cpp_name); found != facts_.end()) {
                found->second.declared = region_;
                found->second.has_value = !variable.initializer.empty();
                if (found->second.has_value)
                    found->second.uses.insert(region_);
            }
    note_first_writes(s);
    each_expression(s, [&](const Tokens& tokens) { use(tokens, region_); });
}

/// `x = ...` as the first mention of x in its region: x need not be known before.
void Placement::note_first_writes(const Statement& s) {
    if (s.kind != Statement::Kind::expression)
        return;
    const std::vector<SimpleAssignment> assignments = simple_assignments(s.tokens);
    if (assignments.size() != 1 || assignments[0].reads_target)
        return;
    const std::string& name = s.tokens[assignments[0].target].text;
    const auto found = facts_.find(name);
    if (found == facts_.end() || !found->second.uses.empty())
        return;
    for (std::size_t i = assignments[0].begin; i < assignments[0].end; ++i)
        if (is_free_name(s.tokens, i) && s.tokens[i].text == name)
            return;
    found->second.first_write = &s;
}

void Placement::find_kept() {
    bool pointers_kept = false;
    for (SplitVariable* each : in_order()) {
        if (each->place != Place::kept)
            continue;
        const Facts& facts = facts_[each->variable->cpp_name];
        const bool one_region = facts.uses.size() <= 1 && !each->is_parameter;
        if (one_region && (facts.uses.empty() || facts.uses.count(facts.declared) > 0)) {
            each->place = Place::inside;
        } else if (one_region && !facts.has_value && !facts.escapes && facts.first_write != nullptr) {
            each->place = Place::inside;
            each->moved_before = facts.first_write;
        }
        pointers_kept |= each->place == Place::kept && contains_pointer(*each->variable->type);
    }
    constexpr std::size_t copied = 64;
    for (SplitVariable* each : in_order()) {
        const Type& type = *each->variable->type;
        const bool escapes = facts_[each->variable->cpp_name].escapes;
        if (each->place == Place::inside && escapes && pointers_kept)
            each->place = Place::kept;                                 // a pointer to it may outlive the region
        if (each->place == Place::kept && contains_const_member(type)) // it could not be assigned
            throw SplitRefusal{"'" + each->variable->name + "', a struct with a const member, kept across a barrier",
                               each->variable->at};
        if (each->place == Place::kept)
            each->by_reference = escapes || type.kind == Type::Kind::array || size_of(type).value_or(0) > copied;
        if (each->place == Place::inside && (facts_[each->variable->cpp_name].in_memory || contains_array(type)))
            kernel_.items_apart = false;
    }
}

void Placement::run() {
    do
        find_uniform();
    while (collapse(kernel_.nodes));
    end_regions_at_continue(kernel_.nodes);
    find_definitions(kernel_.nodes);
    find_repeated();
    merge(kernel_.nodes);
    find_uses(kernel_.nodes);
    find_kept();
}

void place_variables(SplitKernel& kernel) { Placement(kernel).run(); }

std::unique_ptr<SplitKernel> split(const Program& program, const Function& kernel, SplitRefusal& refusal) {
    try {
        auto result = std::make_unique<SplitKernel>();
        result->copy = clone_for_split(program, kernel);
        result->nodes = lower(result->copy);
        place_variables(*result);
        result->items_apart &= !calls_with_item_memory(program, kernel);
        return result;
    } catch (const SplitRefusal& why) {
        refusal = why;
        return nullptr;
    }
}

} // namespace devq::frontend
