#include "split_placement.hpp"
#include <algorithm>

namespace devq::frontend {

bool Placement::is_repeated_declaration(const SplitNode& node) const {
    const Statement* s = alone(node);
    return s && s->kind == Statement::Kind::declaration && s->variables.size() == 1 &&
           variables_.at(s->variables[0].cpp_name).place == Place::repeated;
}

/// May a uniform statement be done before the region that precedes it?
bool Placement::can_go_before(const Statement& uniform, const SplitNode& region) const {
    std::set<std::string> targets;
    bool loads = false;
    for (const Variable& variable : uniform.variables) {
        targets.insert(variable.cpp_name);
        loads |= purity(variable.initializer, 0, variable.initializer.size()).loads;
    }
    for (const SimpleAssignment& one : simple_assignments(uniform.tokens)) {
        targets.insert(uniform.tokens[one.target].text);
        loads |= purity(uniform.tokens, one.begin, one.end).loads;
    }
    bool mentioned = false;
    for (const Statement* s : region.statements)
        each_expression(*s, [&](const Tokens& tokens) {
            for (const Token& token : tokens)
                mentioned |= token.is_identifier() && targets.count(token.text) > 0;
        });
    return !loads && !mentioned;
}

/// Does the expression name an id, or a variable that is not the same for all items of the group?
bool Placement::differs_by_item(const Tokens& tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool id =
            i > 0 && tokens[i - 1].is("devq_item.") && (tokens[i].is("get_global_id") || tokens[i].is("get_local_id"));
        if (id || (is_free_name(tokens, i) && variables_.count(tokens[i].text) > 0 && !is_uniform(tokens[i].text)))
            return true;
    }
    return false;
}

/// No turn of it is the last but by a jump, so that items that part must meet a barrier apart.
bool Placement::is_endless(const Statement& loop) {
    return loop.tokens.empty() || (loop.tokens.size() == 1 && (loop.tokens[0].is("true") || loop.tokens[0].is("1")));
}

/// @param last_turn within a loop that ends by its condition
void Placement::merge(std::vector<SplitNode>& nodes, bool last_turn) {
    std::vector<SplitNode> merged;
    for (SplitNode& node : nodes) {
        if (node.kind == Kind::loop || node.kind == Kind::branch)
            node.uniform_condition = is_uniform(node.statement->tokens);
        // A loop that some items leave earlier is wrong where a barrier is in it, but for its last turn. What all
        // items read alike (a flag in local memory) is taken to part none; the kernel finds out where it does.
        if (node.kind == Kind::branch && !node.uniform_condition &&
            (node.risky || (node.ends_loop && last_turn && differs_by_item(node.statement->tokens))))
            throw SplitRefusal{"a jump by some work-items between barriers", node.statement->at};
        if (node.kind == Kind::loop) {
            node.uniform_step = is_uniform_step(node.statement->step);
            if (node.children.size() > 1)
                node.children[0] = first_part(std::move(node.children[0]));
            merge(node.children.back().children, !is_endless(*node.statement));
        } else {
            merge(node.children, last_turn);
        }
        if (node.kind == Kind::region && is_repeated_declaration(node))
            continue;
        if (is_uniform_node(node)) {
            node.kind = Kind::uniform;
            node.statement = node.statements[0];
            node.statements.clear();
            const bool earlier =
                !merged.empty() && merged.back().kind == Kind::region && can_go_before(*node.statement, merged.back());
            merged.insert(merged.end() - (earlier ? 1 : 0), std::move(node));
        } else if (node.kind == Kind::region && !merged.empty() && merged.back().kind == Kind::region) {
            merged.back().statements.insert(merged.back().statements.end(), node.statements.begin(),
                                            node.statements.end());
            merged.back().leaves_early |= node.leaves_early;
        } else {
            merged.push_back(std::move(node));
        }
    }
    nodes = std::move(merged);
}

SplitNode Placement::first_part(SplitNode node) const {
    if (is_repeated_declaration(node)) {
        node.statements.clear();
    } else if (is_uniform_node(node)) {
        node.kind = Kind::uniform;
        node.statement = node.statements[0];
        node.statements.clear();
    }
    return node;
}

} // namespace devq::frontend
