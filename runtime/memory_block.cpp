#include "memory_block.hpp"
#include <algorithm>

namespace devq::detail {

const QueueProgress*& queue_at_hand() noexcept {
    static thread_local const QueueProgress* last = nullptr;
    return last;
}

void MemoryBlock::used_by_another(const std::shared_ptr<QueueProgress>& queue, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    if (first_share_ == nullptr) {
        first_share_ = queue;
        first_number_.store(number, std::memory_order_relaxed);
        first_.store(queue.get(), std::memory_order_release);
        return;
    }
    for (MemoryUse& use : others_)
        if (use.queue == queue) {
            use.number = number;
            return;
        }
    others_.push_back({queue, number});
}

bool MemoryBlock::must_wait(const QueueProgress& queue) const {
    {
        const std::lock_guard lock(mutex_);
        if (std::any_of(others_.begin(), others_.end(),
                        [&](const MemoryUse& use) { return use.queue.get() == &queue; }))
            return false; // it has waited
    }
    return std::any_of(former.begin(), former.end(),
                       [&](const MemoryUse& use) { return use.queue.get() != &queue && !use.passed(); });
}

void MemoryBlock::keep(const MemoryUse& use) {
    if (use.passed())
        return;
    for (MemoryUse& known : former)
        if (known.queue == use.queue) {
            known.number = std::max(known.number, use.number);
            return;
        }
    former.push_back(use);
}

bool MemoryBlock::settle_uses() noexcept {
    prune();
    bool kept = true;
    try {
        if (first_share_)
            keep({first_share_, first_number_.load(std::memory_order_relaxed)});
        for (const MemoryUse& use : others_)
            keep(use);
    } catch (...) {
        kept = false;
    }
    first_.store(nullptr, std::memory_order_relaxed);
    first_share_.reset();
    others_.clear();
    return kept;
}

void MemoryBlock::prune() noexcept {
    std::erase_if(former, [](const MemoryUse& use) { return use.passed(); });
}

bool MemoryBlock::inherit(const MemoryBlock& other) noexcept {
    try {
        for (const MemoryUse& use : other.former)
            keep(use);
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace devq::detail
