#include "split_placement.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

/// A continue of the loop around becomes the end of the region that stands for the rest of its body.
void end_region_at_continue(Statement& s) {
    if (s.kind == Statement::Kind::for_ || s.kind == Statement::Kind::while_ || s.kind == Statement::Kind::do_)
        return;
    if (s.kind == Statement::Kind::continue_)
        s.kind = Statement::Kind::return_;
    for (const StatementPtr& child : s.children)
        end_region_at_continue(*child);
}

bool holds_jump(const SplitNode& node) {
    return node.kind == SplitNode::Kind::jump || std::any_of(node.children.begin(), node.children.end(), holds_jump);
}

} // namespace

/// Control flow without barriers that need not be the kernel's own level becomes a region. What was found uniform
/// because of it is to be found again then.
bool Placement::collapse(std::vector<SplitNode>& nodes) {
    bool changed = false;
    for (SplitNode& node : nodes) {
        changed |= collapse(node.children);
        if (node.as_region.empty() || is_worth_keeping(node))
            continue;
        SplitNode region;
        region.statements = std::move(node.as_region);
        region.leaves_early = node.leaves_early;
        region.at_continue = node.at_continue;
        node = std::move(region);
        changed = true;
    }
    return changed;
}

bool Placement::is_worth_keeping(const SplitNode& node) const {
    const bool alike = node.kind == Kind::block || (is_uniform(node.statement->tokens) &&
                                                    (node.kind != Kind::loop || is_uniform_step(node.statement->step)));
    return alike && parts_nobody(node) && sets_uniform(node, inner_names(node));
}

/// Are its jumps taken by all items or by none?
bool Placement::parts_nobody(const SplitNode& node) const {
    if (node.kind == Kind::branch && holds_jump(node) && !is_uniform(node.statement->tokens))
        return false;
    return std::all_of(node.children.begin(), node.children.end(),
                       [this](const SplitNode& child) { return parts_nobody(child); });
}

std::set<std::string> Placement::inner_names(const SplitNode& node) {
    std::set<std::string> names;
    for (const Statement* s : node.statements)
        for (const Variable& variable : s->variables)
            names.insert(variable.cpp_name);
    for (const SplitNode& child : node.children)
        names.merge(inner_names(child));
    return names;
}

/// Is a uniform variable that lives outside assigned to in the node?
bool Placement::sets_uniform(const SplitNode& node, const std::set<std::string>& inner) const {
    const auto sets = [&](const Tokens& tokens) {
        const std::vector<SimpleAssignment> assignments = simple_assignments(tokens);
        return std::any_of(assignments.begin(), assignments.end(),
                           [&](const SimpleAssignment& one) { return inner.count(tokens[one.target].text) == 0; });
    };
    if (is_uniform_node(node) && sets(node.statements[0]->tokens))
        return true;
    if (node.kind == Kind::loop && sets(node.statement->step))
        return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const SplitNode& child) { return sets_uniform(child, inner); });
}

/// When all is decided: until then a region may become part of a larger one, whose continues are its own.
void Placement::end_regions_at_continue(std::vector<SplitNode>& nodes) {
    for (SplitNode& node : nodes) {
        if (node.kind == Kind::region && node.at_continue)
            for (Statement* s : node.statements)
                end_region_at_continue(*s);
        end_regions_at_continue(node.children);
    }
}

} // namespace devq::frontend
