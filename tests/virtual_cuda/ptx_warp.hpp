#pragma once
/// What the operations see of a running warp.

#include "memory.hpp"
#include "ptx.hpp"
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace virtual_cuda {

/// Ends a kernel: reported with kernel, thread and line.
struct Trap {
    devq::cuda::abi::Result result;
    std::string what;
    int lane;
};

/// Who has touched some bytes of shared memory since the block's last barrier: each stamp is the number of the stretch
/// between two barriers, and a thread.
struct Shadow {
    static constexpr std::uint32_t thread_bits = 11, several = 1024; ///< `several`: more than one thread
    static constexpr std::uint32_t stretches = 1u << (32 - thread_bits);
    std::uint32_t write = 0, read = 0, atomic = 0;

    static constexpr std::uint32_t thread_of(std::uint32_t stamp) noexcept { return stamp & ((1u << thread_bits) - 1); }
    /// A stamp of the same stretch as `mine`, but not of its thread.
    static constexpr bool by_another(std::uint32_t stamp, std::uint32_t mine) noexcept {
        return (stamp ^ mine) - 1u < (1u << thread_bits) - 1u;
    }
};

/// Whole words that are touched as such have one shadow; the four bytes of others have one each.
struct SharedShadows {
    std::vector<Shadow> words, bytes;
    std::vector<std::uint32_t> split; ///< of each word, the last stretch in which its bytes counted
    std::uint32_t stretch = 1;        ///< counts barriers, over all blocks that use this object

    void resize(std::size_t size) {
        words.resize((size + 3) / 4);
        split.resize(words.size());
        bytes.resize(words.size() * 4);
    }
    void next_stretch() {
        if (++stretch == Shadow::stretches) {
            words.assign(words.size(), {});
            bytes.assign(bytes.size(), {});
            split.assign(split.size(), 0);
            stretch = 1;
        }
    }
};

struct Block {
    const Kernel& kernel;
    const Memory& memory;
    std::array<unsigned, 3> grid, size, index;
    const std::byte* parameters;
    std::vector<std::byte> shared;
    SharedShadows shadows;

    std::string thread_name(std::uint32_t thread) const;
};

enum class Access { read, write, atomic };

inline constexpr std::uint32_t all_lanes = 0xffffffff;

struct Warp {
    Block* block = nullptr;
    std::uint32_t number = 0, live = 0, waiting = 0; ///< lanes
    std::array<std::uint32_t, 32> counters{};        ///< next instruction of lanes that are not being run
    std::vector<std::uint64_t> registers;            ///< 32 lanes each
    std::vector<std::byte> local;                    ///< of all lanes
    Memory::Range cached;                            ///< the global block met last
    std::array<Memory::Range, 3> others;             ///< those before it

    std::uint64_t* row(std::uint32_t name) noexcept { return registers.data() + std::size_t{name} * 32; }
    std::uint64_t& at(std::uint32_t name, int lane) noexcept {
        return registers[name * 32 + static_cast<unsigned>(lane)];
    }
    template <class T>
    T get(std::uint32_t name, int lane) noexcept {
        T value;
        std::memcpy(&value, &at(name, lane), sizeof value);
        return value;
    }
    template <class T>
    void set(std::uint32_t name, int lane, T value) noexcept {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        at(name, lane) = bits;
    }
    /// Throws Trap. `value`: what is about to be written; of Access::write only.
    std::byte* address(std::uint64_t address, Space space, std::size_t bytes, int lane, Access access,
                       const void* value = nullptr);

    /// Makes `cached` the living global block around `address`; false where there is none.
    bool look(std::uint64_t address) {
        if (address - cached.begin < cached.bytes) [[likely]]
            return true;
        for (Memory::Range& other : others)
            if (address - other.begin < other.bytes) {
                std::swap(cached, other);
                return true;
            }
        const Memory::Range found = block->memory.range(address);
        if (found.bytes == 0)
            return false;
        std::move_backward(others.begin(), others.end() - 1, others.end());
        others[0] = std::exchange(cached, found);
        return address - found.begin < found.bytes;
    }
    /// Where the lane reads or writes whole words of shared memory, and has noted that, where there is nothing to say
    /// against it; null: address() has a closer look.
    std::byte* shared_words(std::uint64_t address, std::size_t bytes, int lane, Access access) noexcept {
        const auto offset = static_cast<std::uint32_t>(address);
        if (bytes < 4 || offset % bytes != 0 || offset + bytes > block->shared.size())
            return nullptr;
        SharedShadows& shadows = block->shadows;
        const std::uint32_t mine = shadows.stretch << Shadow::thread_bits | (number * 32 + static_cast<unsigned>(lane));
        Shadow* const words = &shadows.words[offset / 4];
        const std::uint32_t* const split = &shadows.split[offset / 4];
        const std::size_t count = bytes / 4;
        for (std::size_t i = 0; i < count; ++i)
            if (split[i] == shadows.stretch || Shadow::by_another(words[i].write, mine) ||
                Shadow::by_another(words[i].atomic, mine) ||
                (access == Access::write && Shadow::by_another(words[i].read, mine)))
                return nullptr;
        if (access == Access::write) {
            for (std::size_t i = 0; i < count; ++i)
                words[i].write = mine;
        } else {
            const std::uint32_t several = shadows.stretch << Shadow::thread_bits | Shadow::several;
            for (std::size_t i = 0; i < count; ++i)
                words[i].read = Shadow::by_another(words[i].read, mine) ? several : mine;
        }
        return block->shared.data() + offset;
    }

private:
    void check_race(std::uint32_t offset, std::size_t bytes, int lane, Access access, const void* value);
};

template <class Body>
inline void each_lane(std::uint32_t lanes, Body&& body) {
    if (lanes == all_lanes) {
        for (int lane = 0; lane < 32; ++lane)
            body(lane);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1)
        body(std::countr_zero(lanes));
}

} // namespace virtual_cuda
