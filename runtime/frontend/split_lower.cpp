#include "split.hpp"
#include "split_tokens.hpp"
#include <algorithm>

namespace devq::frontend {

namespace {

using Kind = Statement::Kind;

[[noreturn]] void refuse(std::string reason, Position at) { throw SplitRefusal{std::move(reason), at}; }

bool is_waiting_name(const Token& token) { return token.is("barrier") || token.is("wait_group_events"); }

bool waits(const Tokens& tokens) {
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i - 1].is("devq_item.") && is_waiting_name(tokens[i]))
            return true;
    return false;
}

bool waits(const Statement& s) {
    if (waits(s.tokens) || waits(s.step))
        return true;
    for (const Variable& variable : s.variables)
        if (waits(variable.initializer))
            return true;
    return std::any_of(s.children.begin(), s.children.end(), [](const StatementPtr& child) { return waits(*child); });
}

/// A barrier and nothing else.
bool is_barrier(const Statement& s) {
    return s.kind == Kind::expression && s.tokens.size() > 3 && s.tokens[0].is("devq_item.") &&
           is_waiting_name(s.tokens[1]) && closing(s.tokens, 2) + 1 == s.tokens.size();
}

bool is_loop(const Statement& s) { return s.kind == Kind::for_ || s.kind == Kind::while_ || s.kind == Kind::do_; }

/// Which jumps lead out of a statement.
struct Jumps {
    bool breaks = false, continues = false, returns = false;
    bool any() const { return breaks || continues || returns; }
};

void find_jumps(const Statement& s, bool in_loop, bool in_switch, Jumps& found) {
    found.breaks |= s.kind == Kind::break_ && !in_loop && !in_switch;
    found.continues |= s.kind == Kind::continue_ && !in_loop;
    found.returns |= s.kind == Kind::return_;
    for (const StatementPtr& child : s.children)
        find_jumps(*child, in_loop || is_loop(s), in_switch || s.kind == Kind::switch_, found);
}

Jumps jumps_out_of(const Statement& s) {
    Jumps found;
    find_jumps(s, false, false, found);
    return found;
}

bool holds_jump(const Statement& s) {
    return s.kind == Kind::break_ || s.kind == Kind::continue_ || s.kind == Kind::return_ ||
           std::any_of(s.children.begin(), s.children.end(),
                       [](const StatementPtr& child) { return holds_jump(*child); });
}

/// Are its jumps found under blocks, conditions and loops alone, as far as they are not those of a switch?
bool can_part(const Statement& s) {
    if (s.kind == Kind::break_ || s.kind == Kind::continue_ || s.kind == Kind::return_ || !holds_jump(s))
        return true;
    if (s.kind != Kind::block && s.kind != Kind::if_ && (!is_loop(s) || jumps_out_of(s).any()))
        return !jumps_out_of(s).any();
    return std::all_of(s.children.begin(), s.children.end(),
                       [](const StatementPtr& child) { return can_part(*child); });
}

/// What the end of a list of statements leads to, where no barrier is in between.
enum class End { nowhere, of_kernel, of_loop_body };

class Lowering {
public:
    /// @param from the statements before are left out
    /// @param waits_after a barrier may follow the list before the loop body or kernel around ends
    std::vector<SplitNode> list(std::vector<StatementPtr>& statements, End end, bool waits_after = false,
                                std::size_t from = 0) {
        std::vector<SplitNode> nodes;
        std::size_t last_wait = 0; // one after the last statement that waits
        for (std::size_t i = 0; i < statements.size(); ++i)
            if (waits(*statements[i]))
                last_wait = i + 1;
        for (std::size_t i = from; i < statements.size(); ++i) {
            Statement& s = *statements[i];
            const End after = i + 1 == statements.size() ? end : End::nowhere;
            const bool then_waits = waits_after || last_wait > i + 1;
            if (waits(s)) {
                waiting(s, after, then_waits, nodes);
            } else if (!jumps_out_of(s).any()) {
                plain(s, nodes);
            } else if (i >= last_wait && leaves(s, end) && rest_leaves_alike(statements, i, end)) {
                nodes.push_back(tail(statements, i, end));
                break;
            } else {
                jumping(s, after, then_waits, nodes);
            }
        }
        return nodes;
    }

private:
    static SplitNode region(Statement& s) {
        SplitNode node;
        node.statements.push_back(&s);
        return node;
    }

    static SplitNode control(SplitNode::Kind kind, Statement& s) {
        SplitNode node;
        node.kind = kind;
        node.statement = &s;
        return node;
    }

    /// Are its jumps such as a region can end by?
    static bool leaves(const Statement& s, End end) {
        const Jumps jumps = jumps_out_of(s);
        if (jumps.breaks || end == End::nowhere)
            return false;
        return end == End::of_kernel ? !jumps.continues : !jumps.returns;
    }

    /// From here to the end, are all jumps such as a region can end by?
    static bool rest_leaves_alike(const std::vector<StatementPtr>& statements, std::size_t from, End end) {
        return std::all_of(statements.begin() + static_cast<std::ptrdiff_t>(from), statements.end(),
                           [end](const StatementPtr& s) { return leaves(*s, end); });
    }

    /// The rest of a list from statement i, which jumps: a region that items end each for itself, or control flow that
    /// they take together.
    SplitNode tail(std::vector<StatementPtr>& statements, std::size_t i, End end) {
        SplitNode region;
        for (std::size_t at = i; at < statements.size(); ++at)
            region.statements.push_back(statements[at].get());
        region.leaves_early = true;
        region.at_continue = end == End::of_loop_body;
        Statement& s = *statements[i];
        if (!can_part(s))
            return region;
        SplitNode node = control(SplitNode::Kind::block, s);
        const End after = i + 1 == statements.size() ? end : End::nowhere;
        jumping(s, after, false, node.children);
        for (SplitNode& next : list(statements, end, false, i + 1))
            node.children.push_back(std::move(next));
        node.as_region = std::move(region.statements);
        node.leaves_early = true;
        node.at_continue = region.at_continue;
        return node;
    }

    SplitNode block_of(Statement& s, End end, bool waits_after) {
        SplitNode node = control(SplitNode::Kind::block, s);
        node.children = list(s.children, end, waits_after);
        return node;
    }

    void branch(Statement& s, End end, bool waits_after, std::vector<SplitNode>& nodes) {
        SplitNode node = control(SplitNode::Kind::branch, s);
        for (const StatementPtr& child : s.children)
            node.children.push_back(block_of(*child, end, waits_after));
        nodes.push_back(std::move(node));
    }

    /// A statement that holds a barrier.
    void waiting(Statement& s, End after, bool then_waits, std::vector<SplitNode>& nodes) {
        if (is_barrier(s)) {
            nodes.push_back(control(SplitNode::Kind::barrier, s));
        } else if (waits(s.tokens) || waits(s.step) || s.kind == Kind::declaration) {
            refuse("a barrier within an expression", s.at);
        } else if (s.kind == Kind::block) {
            nodes.push_back(block_of(s, after, then_waits));
        } else if (s.kind == Kind::if_) {
            branch(s, after, then_waits, nodes);
        } else if (is_loop(s)) {
            ++loops_;
            loop(s, nodes);
            --loops_;
        } else {
            refuse("a barrier in 'switch'", s.at);
        }
    }

    void loop(Statement& s, std::vector<SplitNode>& nodes) {
        SplitNode node = control(SplitNode::Kind::loop, s);
        if (s.kind == Kind::for_)
            node.children.push_back(region(*s.children[0]));
        node.children.push_back(block_of(*s.children.back(), End::of_loop_body, false));
        nodes.push_back(std::move(node));
    }

    /// A statement that neither waits nor jumps: control flow is kept until it is known whether it sets what is
    /// uniform.
    void plain(Statement& s, std::vector<SplitNode>& nodes) {
        const bool control = s.kind == Kind::if_ || s.kind == Kind::block || is_loop(s);
        if (!control || !can_part(s)) {
            nodes.push_back(region(s));
            return;
        }
        if (s.kind == Kind::if_)
            branch(s, End::nowhere, false, nodes);
        else if (s.kind == Kind::block)
            nodes.push_back(block_of(s, End::nowhere, false));
        else
            loop(s, nodes);
        nodes.back().as_region.push_back(&s);
    }

    /// A statement without a barrier that is left by a jump which, since a barrier may follow, all items must take.
    void jumping(Statement& s, End after, bool then_waits, std::vector<SplitNode>& nodes) {
        if (s.kind == Kind::break_ || s.kind == Kind::continue_ || s.kind == Kind::return_)
            nodes.push_back(control(SplitNode::Kind::jump, s));
        else if (s.kind == Kind::block)
            nodes.push_back(block_of(s, after, then_waits));
        else if (s.kind == Kind::if_)
            branch(s, after, then_waits, nodes);
        else
            refuse("a jump out of this statement that may pass a barrier", s.at);
        const Jumps jumps = jumps_out_of(s);
        nodes.back().risky = (jumps.continues || (jumps.returns && loops_ == 0)) && !then_waits;
        nodes.back().ends_loop = (jumps.breaks || jumps.returns) && !then_waits;
    }

    unsigned loops_ = 0; ///< with barriers, around the list
};

} // namespace

std::vector<SplitNode> lower(Function& copy) { return Lowering().list(copy.body->children, End::of_kernel); }

} // namespace devq::frontend
