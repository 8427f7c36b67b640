#include "split_placement.hpp"
#include <algorithm>

namespace devq::frontend {

bool Placement::is_simple(const Type& type) {
    return type.kind == Type::Kind::scalar || type.kind == Type::Kind::vector || type.kind == Type::Kind::pointer ||
           type.kind == Type::Kind::enumeration;
}

SplitVariable& Placement::add(const Variable& variable) {
    SplitVariable& added = variables_[variable.cpp_name];
    added.variable = &variable;
    added.order = variables_.size();
    added.place = is_simple(*variable.type) ? Place::uniform : Place::kept;
    facts_[variable.cpp_name].loops = loops_;
    return added;
}

VariableLookup Placement::known() const {
    return [this](const std::string& name) -> const Variable* {
        const auto found = variables_.find(name);
        return found == variables_.end() ? nullptr : found->second.variable;
    };
}

const Statement* Placement::alone(const SplitNode& node) {
    return node.kind == Kind::region && node.statements.size() == 1 && !node.leaves_early ? node.statements[0]
                                                                                          : nullptr;
}

void Placement::declare(const std::vector<SplitNode>& nodes) {
    for (const SplitNode& node : nodes)
        declare(node);
}
void Placement::declare(const SplitNode& node) {
    if (const Statement* s = alone(node))
        for (const Variable& variable : s->variables)
            add(variable);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        // What a for declares in its first part lives through all rounds: it is not within the loop.
        const bool within = node.kind == Kind::loop && i + 1 == node.children.size();
        if (within)
            loops_.push_back(&node);
        declare(node.children[i]);
        if (within)
            loops_.pop_back();
    }
}

void Placement::find_uniform() {
    variables_.clear();
    facts_.clear();
    for (const Variable& parameter : kernel_.copy.parameters)
        if (!parameter.cpp_name.empty())
            add(parameter).is_parameter = true;
    declare(kernel_.nodes);
    while (narrow(kernel_.nodes)) {
    }
}

bool Placement::is_uniform(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.place == Place::uniform;
}

bool Placement::is_uniform(const Tokens& tokens, std::size_t begin, std::size_t end) const {
    const Purity found = purity(tokens, begin, end);
    if (!found.pure || found.items)
        return false;
    for (std::size_t i = begin; i < end; ++i)
        if (is_free_name(tokens, i) && !is_uniform(tokens[i].text))
            return false;
    return true;
}
bool Placement::is_uniform(const Tokens& tokens) const { return is_uniform(tokens, 0, tokens.size()); }

bool Placement::is_uniform_node(const SplitNode& node) const {
    const Statement* s = alone(node);
    if (s == nullptr)
        return false;
    if (s->kind == Statement::Kind::declaration)
        return std::all_of(s->variables.begin(), s->variables.end(), [&](const Variable& variable) {
            return variables_.at(variable.cpp_name).place == Place::uniform;
        });
    if (s->kind != Statement::Kind::expression)
        return false;
    const std::vector<SimpleAssignment> assignments = simple_assignments(s->tokens);
    return !assignments.empty() &&
           std::all_of(assignments.begin(), assignments.end(), [&](const SimpleAssignment& one) {
               const auto found = variables_.find(s->tokens[one.target].text);
               return found != variables_.end() && found->second.place == Place::uniform;
           });
}

bool Placement::is_uniform_step(const Tokens& step) const {
    const std::vector<SimpleAssignment> assignments = simple_assignments(step);
    return std::all_of(assignments.begin(), assignments.end(),
                       [&](const SimpleAssignment& one) {
                           const auto found = variables_.find(step[one.target].text);
                           return found != variables_.end() && found->second.place == Place::uniform;
                       }) &&
           assignments.empty() == step.empty();
}

bool Placement::rule_out(const std::string& name) {
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second.place != Place::uniform)
        return false;
    found->second.place = Place::kept;
    return true;
}

/// Nothing that these tokens assign to is uniform.
bool Placement::rule_out_written(const Tokens& tokens) {
    bool changed = false;
    each_mention(tokens, known(), [&](const Variable& variable, const Mention& mention) {
        if (mention.written || mention.escapes)
            changed |= rule_out(variable.cpp_name);
    });
    return changed;
}

/// An expression on the kernel's own level: uniform if it is made of assignments of uniform values only.
bool Placement::narrow_assignments(const Tokens& tokens) {
    const std::vector<SimpleAssignment> assignments = simple_assignments(tokens);
    const bool uniform = std::all_of(assignments.begin(), assignments.end(), [&](const SimpleAssignment& one) {
        return variables_.count(tokens[one.target].text) > 0 && is_uniform(tokens[one.target].text) &&
               is_uniform(tokens, one.begin, one.end);
    });
    return !assignments.empty() && uniform ? false : rule_out_written(tokens);
}

bool Placement::narrow(const std::vector<SplitNode>& nodes) {
    bool changed = false;
    for (const SplitNode& node : nodes) {
        if (const Statement* s = alone(node); s && s->kind == Statement::Kind::expression)
            changed |= narrow_assignments(s->tokens);
        else if (s && s->kind == Statement::Kind::declaration)
            for (const Variable& variable : s->variables) {
                changed |= rule_out_written(variable.initializer);
                if (!is_uniform(variable.initializer))
                    changed |= rule_out(variable.cpp_name);
            }
        else
            for (const Statement* part : node.statements)
                each_expression(*part, [&](const Tokens& tokens) { changed |= rule_out_written(tokens); });
        if (node.kind == Kind::loop || node.kind == Kind::branch)
            changed |= rule_out_written(node.statement->tokens);
        if (node.kind == Kind::loop)
            changed |= narrow_assignments(node.statement->step);
        changed |= narrow(node.children);
    }
    return changed;
}

} // namespace devq::frontend
