#pragma once
/// A device's memory as its buffers see it: what they give back is kept for the next ones. Beneath it a backend only
/// gives and takes whole blocks.
///
/// The driver is asked for chunks. Where the backend can address a part of one, a chunk is split into blocks of
/// multiples of 512 bytes, which merge again when they are free: requests of up to 1 MiB share chunks of 2 MiB, larger
/// ones have chunks of their own. Elsewhere a chunk is one block, of a size class, of which there are eight between two
/// powers of two, and goes to requests of which it is at most a quarter larger.
///
/// A request takes the smallest free block that fits and that nobody is using any more, or only the queue that the
/// calling thread has used last (in order, so nothing has to wait). Else the driver is asked; when it refuses, or the
/// budget does, a block that another queue still uses is taken (memory_block.hpp: the next queue waits), then all free
/// chunks go back and the driver is asked again. No lock is held while a driver is called, and none is called where a
/// free block serves.

#include "memory_block.hpp"
#include <devq/memory.hpp>
#include <exception>
#include <string_view>

namespace devq::detail {

struct DeviceState;

/// What the driver gave as one.
struct MemoryChunk {
    std::shared_ptr<backend::Memory> whole;
    std::size_t bytes = 0;
    bool small = false;            ///< shared by small requests
    bool split = false;            ///< the backend can address parts
    std::list<MemoryBlock> blocks; ///< in order of offset
    std::size_t taken = 0, retired = 0;
    std::list<MemoryChunk>::iterator self;

    MemoryChunk() = default;
    MemoryChunk(const MemoryChunk&) = delete;
    MemoryChunk& operator=(const MemoryChunk&) = delete;
};

/// DEVQ_MEMORY_LIMIT's value, such as "512M", in bytes; 0 for what is none.
std::uint64_t memory_size_in(std::string_view text) noexcept;

/// Throws invalid_argument where a DEVQ_MEMORY_ variable is set to what it cannot be: whoever bounds the memory, or
/// looks for a fault in its use, relies on it.
void check_memory_variables();

/// Thread-safe.
class MemoryPool {
public:
    static constexpr std::size_t alignment = 512;

    MemoryPool(); ///< as the environment says; throws what check_memory_variables() does
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    struct Taken {
        std::shared_ptr<backend::Memory> memory;
        MemoryBlock* block = nullptr;
    };
    /// `bytes` > 0. Throws out_of_memory with what is in use, free and cached, and the budget.
    Taken allocate(backend::Device& device, std::size_t bytes);
    /// Never blocks, but where the block's native handle was lent or the cache is off, when it is the backend's to say.
    void give_back(MemoryBlock* block, std::shared_ptr<backend::Memory> memory) noexcept;
    /// One more that gives `block` back, which is taken.
    void hold(MemoryBlock& block);
    /// Gives free chunks back to the driver, after what still uses them. How many bytes that were.
    std::uint64_t trim() noexcept;

    MemoryStatistics statistics() const;
    void reset_peak();
    void set_budget(std::uint64_t bytes); ///< 0: none
    void set_caching(bool on);
    /// Free memory beyond this goes back at once.
    void set_cache_limit(std::uint64_t bytes);
    bool poisons() const noexcept { return poisons_; } ///< new buffers are to be filled with what is not zero

private:
    using FreeSet = MemoryBlock::FreeSet;
    enum class Users { none_left, any };

    FreeSet& free_of(const MemoryChunk& chunk) noexcept { return chunk.small ? small_ : large_; }
    MemoryBlock* take(std::size_t bytes, Users users);
    MemoryBlock* take_from(FreeSet& set, std::size_t bytes, Users users);
    void split(MemoryBlock& block, std::size_t bytes) noexcept;
    void mark_taken(MemoryBlock& block, std::size_t requested) noexcept;
    MemoryBlock* grow(backend::Device& device, std::size_t bytes, std::size_t chunk_bytes, bool small,
                      std::exception_ptr& refusal);
    void give_up(std::size_t chunk_bytes) noexcept;
    void insert_free(MemoryBlock& block) noexcept;
    void remove_free(MemoryBlock& block) noexcept;
    MemoryBlock& merge(MemoryBlock& block) noexcept;
    std::uint64_t free_bytes() const noexcept;
    void unlink(MemoryChunk& chunk, std::list<MemoryChunk>& into) noexcept;
    Taken ready(backend::Device& device, MemoryBlock& block);
    [[noreturn]] void refuse(std::size_t bytes, const std::exception_ptr& refusal) const;

    const bool poisons_;
    mutable std::mutex mutex_; ///< guards all that follows
    std::list<MemoryChunk> chunks_;
    FreeSet small_, large_;
    MemoryStatistics counts_;    ///< all but what statistics() adds up
    std::uint64_t reserved_ = 0; ///< bytes that the driver has given, or is being asked for
    std::uint64_t cache_limit_ = ~std::uint64_t{0};
    bool caching_ = true;
};

/// Blocks until what `former` names is done, whether well or not.
void wait_for_former(const std::vector<MemoryUse>& former) noexcept;

} // namespace devq::detail
