#pragma once
/// Runs the work-items of a group that wait for one another at barriers: a fiber each, on one thread, in turn.

#include "frontend/host_abi.h"
#include <cstddef>
#include <vector>

namespace devq::cpu {

/// Stacks with a guard page each, kept from group to group. Of one thread.
class FiberStacks {
public:
    FiberStacks() = default;
    ~FiberStacks();
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    /// At least `count` stacks. Throws out_of_memory.
    void reserve(std::size_t count);
    /// The stack's upper end. Stacks start at unlike offsets in a page, so that they do not share cache sets.
    void* top(std::size_t index) const noexcept;
    /// Bytes below top().
    std::size_t size(std::size_t index) const noexcept;

private:
    friend class FiberGroup;
    struct Stack {
        void* base = nullptr; // of the mapping: the guard page
        void* sanitizer = nullptr;
    };
    std::vector<Stack> stacks_;
    std::vector<void*> contexts_; // one a stack
};

/// Runs group number `group` of `dispatch` (its barrier and barrier_context are set here). Throws an Error when some
/// items wait at a barrier that others never reach; their fibers are dropped (kernels own nothing).
void run_group_on_fibers(FiberStacks& stacks, const devq_host_kernel& kernel, const devq_host_dispatch& dispatch,
                         devq_u64 group);

/// The error of a group whose items part at a barrier.
[[noreturn]] void throw_diverged(const devq_host_kernel& kernel, devq_u64 group);

} // namespace devq::cpu
