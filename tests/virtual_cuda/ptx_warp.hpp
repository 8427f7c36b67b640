#pragma once
/// What the operations see of a running warp.

#include "memory.hpp"
#include "ptx.hpp"
#include <bit>
#include <cstring>

namespace virtual_cuda {

/// Ends a kernel: reported with kernel, thread and line.
struct Trap {
    devq::cuda::abi::Result result;
    std::string what;
    int lane;
};

/// Who has touched a byte of shared memory since the block's last barrier: each stamp is the number of the stretch
/// between two barriers, and a thread.
struct Shadow {
    static constexpr std::uint32_t thread_bits = 11, several = 1024; ///< `several`: more than one thread
    static constexpr std::uint32_t stretches = 1u << (32 - thread_bits);
    std::uint32_t write = 0, read = 0, atomic = 0;

    static constexpr std::uint32_t thread_of(std::uint32_t stamp) noexcept { return stamp & ((1u << thread_bits) - 1); }
    static constexpr std::uint32_t stretch_of(std::uint32_t stamp) noexcept { return stamp >> thread_bits; }
};

struct Block {
    const Kernel& kernel;
    const Memory& memory;
    std::array<unsigned, 3> grid, size, index;
    const std::byte* parameters;
    std::vector<std::byte> shared;
    std::vector<Shadow> shadow; ///< of each byte of it
    std::uint32_t stretch = 1;  ///< counts barriers, over all blocks that use this object

    std::string thread_name(std::uint32_t thread) const;
};

enum class Access { read, write, atomic };

struct Warp {
    Block* block = nullptr;
    std::uint32_t number = 0, live = 0, waiting = 0; ///< lanes
    std::array<std::uint32_t, 32> counters{};        ///< next instruction of lanes that are not being run
    std::vector<std::uint64_t> registers;            ///< 32 lanes each
    std::vector<std::byte> local;                    ///< of all lanes
    std::uint64_t cached_begin = 1, cached_end = 0;  ///< of the global block met last
    std::byte* cached = nullptr;
    std::uint8_t* cached_marks = nullptr; ///< of the bytes that have been written, where reads are checked

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

private:
    void check_race(std::uint32_t offset, std::size_t bytes, int lane, Access access, const void* value);
};

template <class Body>
inline void each_lane(std::uint32_t lanes, Body&& body) {
    if (lanes == 0xffffffffu) {
        for (int lane = 0; lane < 32; ++lane)
            body(lane);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1)
        body(std::countr_zero(lanes));
}

} // namespace virtual_cuda
