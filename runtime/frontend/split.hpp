#pragma once
/// Kernels with barriers on the host: the work-items of a group run from barrier to barrier in loops over the group,
/// one loop a region, instead of a fiber each. Between two barriers items may run in any order, so the loops may be
/// vectorised, and what is the same for all items (uniform) is computed once.
///
/// The steps: split_clone.cpp copies the kernel with a name of its own for each variable and puts helpers with barriers
/// in place of their calls; split_lower.cpp takes the copy apart into regions and the control flow around them;
/// split_variables.cpp decides where each variable lives; write_split.cpp writes the C++.

#include "module.hpp"
#include <map>

namespace devq::frontend {

/// What the kernel's own level of control flow consists of: everything that holds a barrier, or a jump that all items
/// of a group must take together, is a branch, loop or block here; the rest are regions and uniform statements.
struct SplitNode {
    enum class Kind {
        region,  ///< statements, run for each item; not for uniform ones
        uniform, ///< statement: assigns to uniform variables only; run once
        branch,  ///< statement is the if; children: then and else as blocks
        loop,    ///< statement is the loop; children: first part of a for (region or uniform, or none), body (a block)
        block,   ///< children
        jump,    ///< statement: break, continue or return by all items
        barrier,
    };
    Kind kind = Kind::region;
    Statement* statement = nullptr;
    std::vector<Statement*> statements;
    std::vector<SplitNode> children;
    bool uniform_condition = false; ///< branch, loop: else every item is asked, and all must agree
    bool uniform_step = false;      ///< loop
    bool ends_loop = false;         ///< branch: jumps out of the loop around; items may part only where it ends for all
    bool risky = false;             ///< branch: items that part at it may be right, if its condition is not uniform
    bool leaves_early = false;      ///< region: items may end it by return
    bool at_continue = false;       ///< region that items leave early: by continue, as long as it is not placed
    /// Of a branch, loop or block without barriers, which a region may stand for: its statements. It is kept only where
    /// it sets what is uniform, and where all items take its jumps together.
    std::vector<Statement*> as_region;
};

struct SplitVariable {
    enum class Place {
        inside,   ///< of one region: declared there
        uniform,  ///< one for the group
        repeated, ///< computed again from its initialiser in each region that uses it
        kept,     ///< one for each item, in an array
    };
    const Variable* variable = nullptr;
    bool is_parameter = false;
    Place place = Place::uniform;
    bool by_reference = false;               ///< kept: regions use the array's element itself, not a copy
    std::size_t order = 0;                   ///< of declaration
    const Statement* moved_before = nullptr; ///< inside: declared before this statement instead of where it was
};

struct SplitKernel {
    Function copy;
    std::vector<SplitNode> nodes;
    std::map<std::string, SplitVariable> variables; ///< of the kernel's own level, by cpp_name
    bool items_apart = true;                        ///< no item has memory of its own in a region; see item_memory.hpp
};

/// Why a kernel cannot be split, and where.
struct SplitRefusal {
    std::string reason;
    Position at;
};

/// The kernel split at its barriers, or null and why not.
std::unique_ptr<SplitKernel> split(const Program& program, const Function& kernel, SplitRefusal& refusal);

/// The parts of split(), in order. They throw SplitRefusal.
Function clone_for_split(const Program& program, const Function& kernel);
std::vector<SplitNode> lower(Function& copy);
void place_variables(SplitKernel& kernel);

} // namespace devq::frontend
