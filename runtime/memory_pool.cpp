#include "memory_pool.hpp"
#include "environment.hpp"
#include "notice.hpp"
#include "queue_state.hpp"
#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace devq::detail {

namespace {

constexpr std::size_t small_request = std::size_t{1} << 20; ///< from here on a request has a chunk of its own
constexpr std::size_t small_chunk = std::size_t{2} << 20;
constexpr std::size_t large_rest = std::size_t{1} << 20; ///< less of a large block stays with what it was split for
constexpr int looks = 64;                                ///< at blocks that fit but are in use

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    constexpr std::size_t step = MemoryPool::alignment;
    return bytes > std::numeric_limits<std::size_t>::max() - step ? bytes : (bytes + step - 1) / step * step;
}

/// Eight sizes between two powers of two.
constexpr std::size_t size_class(std::size_t bytes) noexcept {
    const std::size_t step = std::max(MemoryPool::alignment, std::bit_floor(bytes) / 8);
    return bytes > std::numeric_limits<std::size_t>::max() - step ? bytes : (bytes + step - 1) / step * step;
}

/// An error's words without what stands around them.
std::string problem_of(const Error& error) {
    std::string text = error.what();
    const auto cut = [&](const std::string& end) {
        if (text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0)
            text.resize(text.size() - end.size());
    };
    cut(" " + error.advice());
    cut(".");
    if (!error.native_call().empty())
        cut(" (" + error.native_call() + " returned " + std::to_string(error.native_code()) + ")");
    return text;
}

} // namespace

std::uint64_t memory_size_in(std::string_view text) noexcept {
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    constexpr std::string_view units = "KMGT";
    const std::size_t place = unit.empty() ? units.npos : units.find(unit.front());
    if (status != std::errc{} || unit.size() > 1 || (!unit.empty() && place == units.npos))
        return 0;
    const unsigned shift = unit.empty() ? 0 : static_cast<unsigned>(10 * (place + 1));
    return value > (std::numeric_limits<std::uint64_t>::max() >> shift) ? 0 : value << shift;
}

void check_memory_variables() {
    const auto refuse = [](const char* name, std::string_view value, const char* wrong, const char* advice) {
        throw Error(ErrorCode::invalid_argument, {},
                    std::string(name) + " is \"" + one_line(std::string(value)) + "\", which is " + wrong, advice);
    };
    for (const char* name : {"DEVQ_MEMORY_CACHE", "DEVQ_MEMORY_POISON"})
        if (const std::string_view value = environment(name); !value.empty() && !yes_or_no(value))
            refuse(name, value, "neither 1 nor 0", "Set it to 1 or 0, or leave it unset.");
    constexpr const char* limit = "DEVQ_MEMORY_LIMIT";
    if (const std::string_view value = environment(limit); !value.empty() && memory_size_in(value) == 0)
        refuse(limit, value, "no size",
               "Set it to a number of bytes, or of K, M, G or T (512M, 8G), or leave it unset.");
}

MemoryPool::MemoryPool() : poisons_(flag("DEVQ_MEMORY_POISON", false)), caching_(flag("DEVQ_MEMORY_CACHE", true)) {
    check_memory_variables();
    counts_.budget = memory_size_in(environment("DEVQ_MEMORY_LIMIT"));
}

MemoryPool::~MemoryPool() = default; // buffers keep their device, so that none is left

MemoryPool::Taken MemoryPool::allocate(backend::Device& device, std::size_t bytes) {
    MemoryBlock* block = nullptr;
    bool caching = false;
    {
        const std::lock_guard lock(mutex_);
        caching = caching_;
        block = caching ? take(bytes, Users::none_left) : nullptr;
        if (block)
            ++counts_.from_cache;
    }
    if (block)
        return ready(device, *block);

    // Rounded up it may be more than one allocation may have.
    const std::uint64_t most = device.capabilities().max_allocation_bytes;
    const bool small = caching && device.has_parts() && bytes <= small_request && small_chunk <= most;
    const std::size_t rounded_up = !caching ? bytes : small ? small_chunk : size_class(bytes);
    const std::size_t whole = rounded_up <= most ? rounded_up : bytes;
    std::exception_ptr refusal;
    if ((block = grow(device, bytes, whole, small, refusal)))
        return ready(device, *block);
    {
        const std::lock_guard lock(mutex_);
        block = caching ? take(bytes, Users::any) : nullptr;
        if (block)
            ++counts_.from_cache;
    }
    if (block)
        return ready(device, *block);
    // What is kept for others may be in the way, or the rounding.
    trim();
    for (const std::size_t size : {whole, rounded(bytes), bytes})
        if (size <= most && (block = grow(device, bytes, size, small && size == whole, refusal)))
            return ready(device, *block);
    refuse(bytes, refusal);
}

MemoryBlock* MemoryPool::take(std::size_t bytes, Users users) {
    if (bytes <= small_request)
        if (MemoryBlock* block = take_from(small_, bytes, users))
            return block;
    return take_from(large_, bytes, users);
}

/// The smallest that fits and may be used.
MemoryBlock* MemoryPool::take_from(FreeSet& set, std::size_t bytes, Users users) {
    const std::size_t wanted = rounded(bytes);
    auto at = set.lower_bound(bytes);
    for (int left = looks; at != set.end() && left > 0; ++at, --left) {
        MemoryBlock& block = **at;
        const bool may_split = block.chunk.split && block.chunk.small == (bytes <= small_request);
        if (!may_split && block.bytes > std::max(wanted + wanted / 4, wanted + alignment))
            return nullptr;
        block.prune();
        if (users == Users::none_left &&
            !std::all_of(block.former.begin(), block.former.end(),
                         [](const MemoryUse& use) { return use.queue.get() == queue_at_hand(); }))
            continue;
        remove_free(block);
        if (may_split && block.bytes >= wanted + (block.chunk.small ? alignment : large_rest))
            split(block, wanted);
        mark_taken(block, bytes);
        return &block;
    }
    return nullptr;
}

/// `block`, which is in no set, keeps the first `bytes`.
void MemoryPool::split(MemoryBlock& block, std::size_t bytes) noexcept {
    MemoryChunk& chunk = block.chunk;
    auto rest = chunk.blocks.end();
    try {
        rest = chunk.blocks.emplace(std::next(block.self), chunk);
        rest->former = block.former;
        rest->self = rest;
        rest->offset = block.offset + bytes;
        rest->bytes = block.bytes - bytes;
        free_of(chunk).insert(&*rest);
        block.bytes = bytes;
    } catch (...) { // no memory on the host: it stays whole
        if (rest != chunk.blocks.end())
            chunk.blocks.erase(rest);
    }
}

void MemoryPool::remove_free(MemoryBlock& block) noexcept {
    FreeSet& set = free_of(block.chunk);
    block.node = set.extract(set.find(&block));
}

void MemoryPool::insert_free(MemoryBlock& block) noexcept {
    block.state = MemoryBlock::State::free;
    free_of(block.chunk).insert(std::move(block.node));
}

void MemoryPool::mark_taken(MemoryBlock& block, std::size_t requested) noexcept {
    block.state = MemoryBlock::State::taken;
    block.holders = 1;
    block.requested = requested;
    ++block.chunk.taken;
    ++counts_.allocations;
    counts_.requested += requested;
    counts_.in_use += block.bytes;
    counts_.peak = std::max(counts_.peak, counts_.in_use);
}

/// The native side of a block that has been marked as taken.
MemoryPool::Taken MemoryPool::ready(backend::Device& device, MemoryBlock& block) {
    const MemoryChunk& chunk = block.chunk;
    Taken taken{chunk.whole, &block};
    if (block.bytes != chunk.bytes) {
        try {
            taken.memory = device.part(chunk.whole, block.offset, block.bytes);
        } catch (...) {
            give_back(&block, nullptr);
            throw;
        }
    }
    taken.memory->pool_block = &block;
    return taken;
}

/// Asks the driver for a chunk, and takes a block of `bytes` out of it. Null: refused.
MemoryBlock* MemoryPool::grow(backend::Device& device, std::size_t bytes, std::size_t chunk_bytes, bool small,
                              std::exception_ptr& refusal) {
    {
        const std::lock_guard lock(mutex_);
        if (counts_.budget != 0 && (chunk_bytes > counts_.budget || reserved_ > counts_.budget - chunk_bytes))
            return nullptr;
        reserved_ += chunk_bytes;
    }
    std::list<MemoryChunk> made; // lists, so that nothing is left to fail once the driver has given
    try {
        made.emplace_back();
        MemoryChunk& chunk = made.back();
        chunk.bytes = chunk_bytes;
        chunk.self = made.begin();
        chunk.blocks.emplace_back(chunk);
        MemoryBlock& block = chunk.blocks.back();
        block.self = chunk.blocks.begin();
        block.bytes = chunk_bytes;
        FreeSet place;
        place.insert(&block);
        block.node = place.extract(place.begin());
        chunk.whole = device.allocate(chunk_bytes);
        const std::lock_guard lock(mutex_);
        chunk.split = caching_ && chunk_bytes % alignment == 0 && device.has_parts();
        chunk.small = small && chunk.split;
        chunks_.splice(chunks_.end(), made);
        if (const std::size_t wanted = rounded(bytes);
            chunk.split && block.bytes >= wanted + (chunk.small ? alignment : large_rest))
            split(block, wanted);
        mark_taken(block, bytes);
        return &block;
    } catch (const Error& error) {
        give_up(chunk_bytes);
        if (error.code() != ErrorCode::out_of_memory)
            throw;
        refusal = std::current_exception();
        return nullptr;
    } catch (...) {
        give_up(chunk_bytes);
        throw;
    }
}

void MemoryPool::give_up(std::size_t chunk_bytes) noexcept {
    const std::lock_guard lock(mutex_);
    reserved_ -= chunk_bytes;
}

void MemoryPool::hold(MemoryBlock& block) {
    const std::lock_guard lock(mutex_);
    ++block.holders;
}

void MemoryPool::give_back(MemoryBlock* given, std::shared_ptr<backend::Memory> memory) noexcept {
    memory.reset(); // a part is a small object; a whole chunk is still held by the pool
    std::list<MemoryChunk> gone;
    {
        const std::lock_guard lock(mutex_);
        MemoryBlock& block = *given;
        if (--block.holders > 0)
            return;
        MemoryChunk& chunk = block.chunk;
        --chunk.taken;
        counts_.in_use -= block.bytes;
        counts_.requested -= block.requested;
        const bool lent = block.lent.load(std::memory_order_relaxed);
        if (!block.settle_uses() || lent || !caching_) {
            block.state = MemoryBlock::State::retired;
            ++chunk.retired;
        } else {
            insert_free(merge(block));
        }
        if (chunk.taken == 0 && (chunk.retired > 0 || free_bytes() > cache_limit_))
            unlink(chunk, gone);
    }
    // The lock is open: what a backend does to free memory may take its time.
}

/// `block`, which is in no set, together with its free neighbours.
MemoryBlock& MemoryPool::merge(MemoryBlock& block) noexcept {
    auto& blocks = block.chunk.blocks;
    if (const auto next = std::next(block.self);
        next != blocks.end() && next->state == MemoryBlock::State::free && block.inherit(*next)) {
        remove_free(*next);
        block.bytes += next->bytes;
        blocks.erase(next);
    }
    if (block.self != blocks.begin()) {
        MemoryBlock& before = *std::prev(block.self);
        if (before.state == MemoryBlock::State::free && before.inherit(block)) {
            remove_free(before);
            before.bytes += block.bytes;
            blocks.erase(block.self);
            return before;
        }
    }
    return block;
}

/// Moves a chunk that no buffer uses out of the pool.
void MemoryPool::unlink(MemoryChunk& chunk, std::list<MemoryChunk>& into) noexcept {
    for (MemoryBlock& block : chunk.blocks)
        if (block.state == MemoryBlock::State::free)
            remove_free(block);
    reserved_ -= chunk.bytes;
    into.splice(into.end(), chunks_, chunk.self);
}

std::uint64_t MemoryPool::trim() noexcept {
    std::list<MemoryChunk> gone;
    std::uint64_t bytes = 0;
    {
        const std::lock_guard lock(mutex_);
        for (auto chunk = chunks_.begin(); chunk != chunks_.end();) {
            const auto next = std::next(chunk);
            if (chunk->taken == 0) {
                bytes += chunk->bytes;
                unlink(*chunk, gone);
            }
            chunk = next;
        }
    }
    for (const MemoryChunk& chunk : gone)
        for (const MemoryBlock& block : chunk.blocks)
            wait_for_former(block.former);
    return bytes;
}

std::uint64_t MemoryPool::free_bytes() const noexcept { return reserved_ - counts_.in_use; }

MemoryStatistics MemoryPool::statistics() const {
    const std::lock_guard lock(mutex_);
    MemoryStatistics now = counts_;
    for (const MemoryChunk& chunk : chunks_)
        for (const MemoryBlock& block : chunk.blocks)
            now.cached += block.state == MemoryBlock::State::free ? block.bytes : 0;
    return now;
}

void MemoryPool::reset_peak() {
    const std::lock_guard lock(mutex_);
    counts_.peak = counts_.in_use;
}

void MemoryPool::set_budget(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    counts_.budget = bytes;
}

void MemoryPool::set_caching(bool on) {
    {
        const std::lock_guard lock(mutex_);
        caching_ = on;
    }
    if (!on)
        trim();
}

void MemoryPool::set_cache_limit(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    cache_limit_ = bytes;
}

void MemoryPool::refuse(std::size_t bytes, const std::exception_ptr& refusal) const {
    const MemoryStatistics now = statistics();
    std::string problem = "requested " + std::to_string(bytes) + " bytes";
    std::string advice = "Free buffers, use smaller ones, or split the work.", call;
    long code = 0;
    if (refusal) {
        try {
            std::rethrow_exception(refusal);
        } catch (const Error& error) {
            problem += ": " + problem_of(error);
            advice = error.advice();
            call = error.native_call();
            code = error.native_code();
        }
    } else {
        problem += ", beyond the budget";
        advice = "Free buffers, use smaller ones, split the work, or raise the budget (DEVQ_MEMORY_LIMIT, "
                 "set_memory_budget).";
    }
    problem += "; devq's buffers have " + std::to_string(now.in_use) + " bytes, " + std::to_string(now.cached) +
               " are cached, the budget is " + (now.budget != 0 ? std::to_string(now.budget) : "not bounded");
    throw Error(ErrorCode::out_of_memory, {}, problem, advice, call, code);
}

} // namespace devq::detail
