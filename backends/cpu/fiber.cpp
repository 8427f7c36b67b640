#include "fiber.hpp"
#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <devq/error.hpp>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define DEVQ_TSAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEVQ_TSAN_FIBERS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define DEVQ_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEVQ_ASAN_FIBERS 1
#endif
#endif

#if defined(DEVQ_TSAN_FIBERS)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif
#if defined(DEVQ_ASAN_FIBERS)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old, size_t* size_old);
}
#endif

namespace devq::cpu {

namespace context = boost::context::detail;

namespace {
constexpr std::size_t stack_bytes = 1 << 20; // mapped, touched only as far as a kernel needs
std::size_t page_bytes() noexcept {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}
} // namespace

FiberStacks::~FiberStacks() {
    for (const Stack& stack : stacks_) {
#if defined(DEVQ_TSAN_FIBERS)
        __tsan_destroy_fiber(stack.sanitizer);
#endif
        munmap(stack.base, page_bytes() + stack_bytes);
    }
}

void FiberStacks::reserve(std::size_t count) {
    stacks_.reserve(count);
    contexts_.resize(std::max(count, contexts_.size()));
    while (stacks_.size() < count) {
        Stack stack;
        stack.base = mmap(nullptr, page_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (stack.base == MAP_FAILED || mprotect(stack.base, page_bytes(), PROT_NONE) != 0) {
            if (stack.base != MAP_FAILED)
                munmap(stack.base, page_bytes() + stack_bytes);
            throw Error(ErrorCode::out_of_memory, "launch",
                        "no room for the stacks of a work-group of " + std::to_string(count) + " items",
                        "Use smaller groups, or raise vm.max_map_count.");
        }
#if defined(DEVQ_TSAN_FIBERS)
        stack.sanitizer = __tsan_create_fiber(0);
#endif
        stacks_.push_back(stack);
    }
}

std::size_t FiberStacks::size(std::size_t index) const noexcept { return stack_bytes - (index * 192) % 4096; }

void* FiberStacks::top(std::size_t index) const noexcept {
    return static_cast<char*>(stacks_[index].base) + page_bytes() + size(index);
}

/// One group on its way. Items run in turn: each, at a barrier or at its end, hands over to the next one, and the last
/// one to the first, as long as all of them wait.
class FiberGroup {
public:
    FiberGroup(FiberStacks& stacks, const devq_host_kernel& kernel, const devq_host_dispatch& dispatch, devq_u64 group)
        : stacks_(stacks), kernel_(kernel), dispatch_(dispatch), group_(group),
          items_(dispatch.local_size[0] * dispatch.local_size[1] * dispatch.local_size[2]),
          contexts_(stacks.contexts_) {
        dispatch_.barrier = [](void* self) { static_cast<FiberGroup*>(self)->barrier(); };
        dispatch_.barrier_context = this;
    }

    /// True when all items came to their end together.
    bool run() {
        for (std::size_t i = 0; i < items_; ++i)
            contexts_[i] = context::make_fcontext(stacks_.top(i), stacks_.size(i), &FiberGroup::enter);
#if defined(DEVQ_TSAN_FIBERS)
        thread_sanitizer_ = __tsan_get_current_fiber();
#endif
        switch_to(0);
        return finished_ == items_;
    }

private:
    static constexpr std::size_t thread = ~std::size_t{0}; // the thread's own stack, as a place to switch to

    static void enter(context::transfer_t from) {
        auto* self = static_cast<FiberGroup*>(from.data);
        self->arrived(from);
        const std::size_t item = self->current_;
        const devq_u64 size0 = self->dispatch_.local_size[0], size1 = self->dispatch_.local_size[1];
        const devq_u64 local_id[3] = {item % size0, item / size0 % size1, item / size0 / size1};
        self->kernel_.run_item(&self->dispatch_, self->group_, local_id);
        ++self->finished_;
        self->hand_over(); // never comes back
    }

    void barrier() {
        ++waiting_;
        hand_over();
    }

    void hand_over() {
        if (current_ + 1 < items_)
            return switch_to(current_ + 1);
        const bool all_wait = waiting_ == items_;
        waiting_ = 0;
        if (!all_wait)
            return switch_to(thread); // all have finished, or the barrier is divergent
        if (items_ > 1)
            switch_to(0);
    }

    void switch_to(std::size_t next) {
        previous_ = current_;
        current_ = next;
        const bool back = next == thread;
#if defined(DEVQ_TSAN_FIBERS)
        __tsan_switch_to_fiber(back ? thread_sanitizer_ : stacks_.stacks_[next].sanitizer, 0);
#endif
#if defined(DEVQ_ASAN_FIBERS)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(
            &fake, back ? thread_bottom_ : static_cast<char*>(stacks_.top(next)) - stacks_.size(next),
            back ? thread_size_ : stacks_.size(next));
#endif
        const context::transfer_t from = context::jump_fcontext(back ? thread_context_ : contexts_[next], this);
#if defined(DEVQ_ASAN_FIBERS)
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
        keep(from);
    }

    /// First thing on a new fiber.
    void arrived(context::transfer_t from) {
#if defined(DEVQ_ASAN_FIBERS)
        const void* bottom = nullptr;
        std::size_t size = 0;
        __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
        if (previous_ == thread) {
            thread_bottom_ = bottom;
            thread_size_ = size;
        }
#endif
        keep(from);
    }

    /// Where the one that handed over goes on.
    void keep(context::transfer_t from) {
        if (previous_ == thread)
            thread_context_ = from.fctx;
        else
            contexts_[previous_] = from.fctx;
    }

    FiberStacks& stacks_;
    const devq_host_kernel& kernel_;
    devq_host_dispatch dispatch_;
    devq_u64 group_;
    std::size_t items_;
    std::vector<void*>& contexts_; // where each item goes on
    context::fcontext_t thread_context_ = nullptr;
    std::size_t current_ = thread, previous_ = thread, waiting_ = 0, finished_ = 0;
#if defined(DEVQ_TSAN_FIBERS)
    void* thread_sanitizer_ = nullptr;
#endif
#if defined(DEVQ_ASAN_FIBERS)
    const void* thread_bottom_ = nullptr;
    std::size_t thread_size_ = 0;
#endif
};

void run_group_on_fibers(FiberStacks& stacks, const devq_host_kernel& kernel, const devq_host_dispatch& dispatch,
                         devq_u64 group) {
    stacks.reserve(dispatch.local_size[0] * dispatch.local_size[1] * dispatch.local_size[2]);
    FiberGroup running(stacks, kernel, dispatch, group);
    if (!running.run())
        throw_diverged(kernel, group);
}

void throw_diverged(const devq_host_kernel& kernel, devq_u64 group) {
    throw Error(ErrorCode::invalid_argument, "launch",
                std::string("kernel \"") + kernel.name + "\": some work-items of group " + std::to_string(group) +
                    " wait at a barrier that others never reach",
                "Every work-item of a group must pass the same barriers: move them out of divergent branches.");
}

} // namespace devq::cpu
