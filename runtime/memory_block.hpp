#pragma once
/// A block of a device's memory as the pool hands it out, and which queues use it. Memory is given without saying on
/// which queue it will be used, so each block carries the last uses of those who had it before: a queue that uses it
/// for the first time waits for these, unless they are its own or known to be done.

#include "backend.hpp"
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace devq::detail {

struct QueueState;
struct MemoryChunk;

/// How far a queue has come; outlives it. Commands are numbered from 1 in the order in which they are asked for.
struct QueueProgress {
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<std::uint64_t> passed{0}; ///< known to be done
    std::weak_ptr<QueueState> queue;      ///< set when the queue is made

    void pass(std::uint64_t number) noexcept {
        std::uint64_t before = passed.load(std::memory_order_relaxed);
        while (before < number && !passed.compare_exchange_weak(before, number, std::memory_order_release)) {
        }
    }
};

/// The last command of a queue that uses some memory.
struct MemoryUse {
    std::shared_ptr<QueueProgress> queue;
    std::uint64_t number = 0;

    bool passed() const noexcept { return queue->passed.load(std::memory_order_acquire) >= number; }
};

/// The queue that the calling thread has used last, to be compared only: it is likely to be the next one too.
const QueueProgress*& queue_at_hand() noexcept;

class MemoryBlock {
public:
    explicit MemoryBlock(MemoryChunk& chunk) : chunk(chunk) {}
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;

    /// Command `number` of `queue`, whose lock is held, uses the block. Blocks used by one queue take no lock.
    void used_by(const std::shared_ptr<QueueProgress>& queue, std::uint64_t number) {
        if (first_.load(std::memory_order_acquire) == queue.get()) [[likely]]
            first_number_.store(number, std::memory_order_relaxed);
        else
            used_by_another(queue, number);
    }
    /// True when `queue` has to wait for something before it uses the block for the first time.
    bool has_former_users(const QueueProgress& queue) const {
        return !former.empty() && first_.load(std::memory_order_acquire) != &queue && must_wait(queue);
    }

    /// What is left of those who had the block before. Changes only while nobody has it.
    std::vector<MemoryUse> former;
    /// Its native handle was given away: others may use it in ways that devq does not see.
    std::atomic<bool> lent{false};

    // For the pool, guarded by its lock.
    enum class State { free, taken, retired };
    MemoryChunk& chunk;
    std::size_t offset = 0, bytes = 0, requested = 0;
    State state = State::free;
    unsigned holders = 0; ///< a buffer, and recordings
    std::list<MemoryBlock>::iterator self;
    struct Smaller {
        using is_transparent = void;
        bool operator()(const MemoryBlock* a, const MemoryBlock* b) const noexcept {
            return a->bytes != b->bytes ? a->bytes < b->bytes : a < b;
        }
        bool operator()(const MemoryBlock* a, std::size_t bytes) const noexcept { return a->bytes < bytes; }
        bool operator()(std::size_t bytes, const MemoryBlock* b) const noexcept { return bytes < b->bytes; }
    };
    using FreeSet = std::set<MemoryBlock*, Smaller>;
    FreeSet::node_type node; ///< its place in a set, kept so that giving back allocates nothing

    /// Moves the uses since it was handed out to `former`, less those that are done. False: no memory to do so.
    bool settle_uses() noexcept;
    /// Forgets those of `former` that are done.
    void prune() noexcept;
    /// Takes over what `other`, a neighbour, has in `former`. False: no memory to do so.
    bool inherit(const MemoryBlock& other) noexcept;

private:
    void used_by_another(const std::shared_ptr<QueueProgress>& queue, std::uint64_t number);
    bool must_wait(const QueueProgress& queue) const;
    void keep(const MemoryUse& use);

    std::atomic<QueueProgress*> first_{nullptr}; ///< the first queue that has used it since it was handed out
    std::atomic<std::uint64_t> first_number_{0};
    mutable std::mutex mutex_;
    std::shared_ptr<QueueProgress> first_share_;
    std::vector<MemoryUse> others_;
};

} // namespace devq::detail
