#include "ptx_run.hpp"
#include "ptx_warp.hpp"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

namespace virtual_cuda {

namespace abi = devq::cuda::abi;

std::byte* Warp::address(std::uint64_t address, Space space, std::size_t bytes, int lane, Access access,
                         const void* value) {
    const auto offset = static_cast<std::uint32_t>(address);
    if (space == Space::generic) {
        const std::uint64_t base = address >> 44 << 44;
        space = base == shared_base  ? Space::shared
                : base == local_base ? Space::local
                : base == param_base ? Space::param
                                     : Space::global;
    }
    std::byte* place = nullptr;
    std::uint8_t* marks = nullptr;
    const char* name = "global";
    switch (space) {
    case Space::shared:
        name = "shared";
        if (offset + bytes <= block->shared.size())
            place = block->shared.data() + offset;
        break;
    case Space::local:
        name = "local";
        if (offset + bytes <= block->kernel.local_bytes)
            place = local.data() + static_cast<unsigned>(lane) * block->kernel.local_bytes + offset;
        break;
    case Space::param:
        name = "param";
        if (offset + bytes <= block->kernel.parameter_bytes)
            place = const_cast<std::byte*>(block->parameters) + offset; // only read
        break;
    default:
        if (!look(address) || bytes > cached.bytes - (address - cached.begin))
            break;
        place = cached.content + (address - cached.begin);
        marks = cached.marks ? cached.marks + (address - cached.begin) : nullptr;
    }
    char text[160];
    if (place == nullptr) {
        std::snprintf(text, sizeof text, "%zu bytes at %s address 0x%llx, which nobody has", bytes, name,
                      static_cast<unsigned long long>(address));
        throw Trap{abi::illegal_address, text, lane};
    }
    if (address % bytes != 0) {
        std::snprintf(text, sizeof text, "%zu bytes at %s address 0x%llx, which is not aligned", bytes, name,
                      static_cast<unsigned long long>(address));
        throw Trap{abi::misaligned_address, text, lane};
    }
    if (space == Space::shared)
        check_race(offset, bytes, lane, access, value);
    if (marks != nullptr) { // other threads mark, too: always with the same value
        for (std::size_t i = 0; i < bytes; ++i) {
            std::atomic_ref<std::uint8_t> mark(marks[i]);
            if (access != Access::read)
                mark.store(1, std::memory_order_relaxed);
            if (access != Access::write && mark.load(std::memory_order_relaxed) == 0) {
                std::snprintf(text, sizeof text, "%zu bytes at global address 0x%llx, which nobody has written", bytes,
                              static_cast<unsigned long long>(address));
                throw Trap{abi::launch_failed, text, lane};
            }
        }
    }
    return place;
}

/// Two threads of a block touch a byte between two barriers, and one of them writes: then the outcome is open, unless
/// both write the same, or both are atomic.
void Warp::check_race(std::uint32_t offset, std::size_t bytes, int lane, Access access, const void* value) {
    SharedShadows& shadows = block->shadows;
    const std::uint32_t stretch = shadows.stretch, me = number * 32 + static_cast<unsigned>(lane);
    const std::uint32_t mine = stretch << Shadow::thread_bits | me;
    const auto by_another = [&](std::uint32_t stamp) { return Shadow::by_another(stamp, mine); };
    const auto refuse = [&](std::size_t i, std::uint32_t whose, const char* other) {
        const std::uint32_t thread = Shadow::thread_of(whose);
        const std::string who = thread == Shadow::several ? "other threads have" : block->thread_name(thread) + " has";
        char text[200];
        std::snprintf(text, sizeof text, "a race: it %s shared address 0x%x, which %s %s since the last barrier",
                      access == Access::read ? "reads" : "writes", static_cast<unsigned>(offset + i), who.c_str(),
                      other);
        throw Trap{abi::launch_failed, text, lane};
    };
    for (std::size_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
        if (shadows.split[word] != stretch) { // what is known of the word is known of its bytes
            shadows.split[word] = stretch;
            std::fill_n(shadows.bytes.begin() + static_cast<std::ptrdiff_t>(word * 4), 4, shadows.words[word]);
        }
    for (std::size_t i = 0; i < bytes; ++i) {
        Shadow& shadow = shadows.bytes[offset + i];
        if (by_another(shadow.write) &&
            !(access == Access::write && static_cast<const std::byte*>(value)[i] == block->shared[offset + i]))
            refuse(i, shadow.write, "written");
        if (access != Access::read && by_another(shadow.read))
            refuse(i, shadow.read, "read");
        if (access != Access::atomic && by_another(shadow.atomic))
            refuse(i, shadow.atomic, "changed");
        std::uint32_t& stamp = access == Access::read    ? shadow.read
                               : access == Access::write ? shadow.write
                                                         : shadow.atomic;
        stamp = access != Access::write && by_another(stamp) ? stretch << Shadow::thread_bits | Shadow::several : mine;
    }
}

std::string Block::thread_name(std::uint32_t thread) const {
    char text[64];
    std::snprintf(text, sizeof text, "thread (%u,%u,%u)", thread % size[0], thread / size[0] % size[1],
                  thread / size[0] / size[1]);
    return text;
}

namespace {

/// Runs lanes until each has ended or waits at a barrier: those that are furthest behind first, so that lanes that went
/// different ways meet again.
class Runner {
public:
    explicit Runner(Warp& warp) : warp_(warp), code_(warp.block->kernel.code) {}

    std::uint32_t counter = 0;      ///< of the instruction that is being run, for reports
    std::uint64_t instructions = 0; ///< by how many threads so many were run

    void run() {
        while (const std::uint32_t ready = warp_.live & ~warp_.waiting) {
            counter = UINT32_MAX;
            each_lane(ready,
                      [&](int lane) { counter = std::min(counter, warp_.counters[static_cast<unsigned>(lane)]); });
            std::uint32_t lanes = 0, next = UINT32_MAX;
            each_lane(ready, [&](int lane) {
                const std::uint32_t at = warp_.counters[static_cast<unsigned>(lane)];
                if (at == counter)
                    lanes |= 1u << lane;
                else
                    next = std::min(next, at);
            });
            together(lanes, next);
        }
    }

private:
    void together(std::uint32_t lanes, std::uint32_t next) {
        do {
            const Instruction& instruction = code_[counter];
            std::uint32_t taken = lanes;
            if (instruction.guard >= 0) {
                std::uint32_t set = 0;
                each_lane(lanes, [&](int lane) {
                    set |= static_cast<std::uint32_t>(warp_.at(static_cast<std::uint32_t>(instruction.guard), lane) & 1)
                           << lane;
                });
                taken = instruction.negated ? lanes & ~set : set;
            }
            instructions += static_cast<unsigned>(std::popcount(taken));
            switch (instruction.kind) {
            case Instruction::Kind::plain:
                if (taken != 0 && instruction.run != nullptr)
                    instruction.run(warp_, instruction, taken);
                ++counter;
                break;
            case Instruction::Kind::branch:
                if (taken == lanes) {
                    counter = instruction.target;
                } else if (taken == 0) {
                    ++counter;
                } else {
                    leave(taken, instruction.target);
                    leave(lanes & ~taken, counter + 1);
                    return;
                }
                break;
            case Instruction::Kind::exit:
                warp_.live &= ~taken;
                lanes &= ~taken;
                ++counter;
                if (lanes == 0)
                    return;
                break;
            case Instruction::Kind::barrier:
                warp_.waiting |= taken;
                leave(lanes, counter + 1);
                return;
            }
        } while (counter < next);
        leave(lanes, counter);
    }

    void leave(std::uint32_t lanes, std::uint32_t at) {
        each_lane(lanes, [&](int lane) { warp_.counters[static_cast<unsigned>(lane)] = at; });
    }

    Warp& warp_;
    const std::vector<Instruction>& code_;
};

/// The blocks of one launch that one thread runs, one after the other.
class Worker {
public:
    Worker(const Kernel& kernel, const Launch& launch, const Memory& memory)
        : kernel_(kernel), block_{kernel, memory, launch.grid, launch.block, {}, launch.parameters.data(), {}, {}} {
        block_.shared.resize(kernel.dynamic_offset + launch.dynamic);
        block_.shadows.resize(block_.shared.size());
        const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
        warps_.resize((threads + 31) / 32);
        for (std::uint32_t number = 0; number < warps_.size(); ++number) {
            Warp& warp = warps_[number];
            warp.block = &block_;
            warp.number = number;
            warp.registers.assign(std::size_t{kernel.registers} * 32, 0xCDCDCDCDCDCDCDCD);
            warp.local.resize(kernel.local_bytes * 32);
            for (const Kernel::Constant& constant : kernel.constants)
                each_lane(0xffffffffu, [&](int lane) { warp.at(constant.where, lane) = constant.value; });
        }
    }

    /// Throws Trap; `counter`, `warp` and block_ tell where.
    void run(std::array<unsigned, 3> index) {
        block_.index = index;
        std::fill(block_.shared.begin(), block_.shared.end(), std::byte{0xCD});
        block_.shadows.next_stretch();
        const unsigned threads = block_.size[0] * block_.size[1] * block_.size[2];
        for (Warp& warp : warps_) {
            const unsigned left = threads - warp.number * 32;
            warp.live = left >= 32 ? 0xffffffffu : (1u << left) - 1;
            warp.waiting = 0;
            warp.counters.fill(0);
            for (const Kernel::Special& special : kernel_.specials)
                each_lane(0xffffffffu,
                          [&](int lane) { warp.at(special.where, lane) = value(special.name, warp, lane); });
        }
        for (bool any = true; any;) {
            any = false;
            for (Warp& warp : warps_) {
                current = &warp;
                Runner runner(warp);
                try {
                    runner.run();
                    instructions += runner.instructions;
                } catch (Trap&) {
                    counter = runner.counter;
                    throw;
                }
            }
            release(any);
        }
    }

    std::string where(const Trap& trap) const {
        const unsigned thread = current->number * 32 + static_cast<unsigned>(trap.lane);
        char text[100];
        std::snprintf(text, sizeof text, " of block (%u,%u,%u), PTX line %u", block_.index[0], block_.index[1],
                      block_.index[2], kernel_.code[counter].line);
        return block_.thread_name(thread) + text;
    }

private:
    /// All that live have arrived, at one and the same barrier.
    void release(bool& any) {
        std::uint32_t place = UINT32_MAX;
        for (Warp& warp : warps_) {
            current = &warp;
            each_lane(warp.waiting & warp.live, [&](int lane) {
                const std::uint32_t at = warp.counters[static_cast<unsigned>(lane)];
                if (place != UINT32_MAX && place != at) {
                    counter = at - 1;
                    throw Trap{abi::launch_failed, "the block's threads wait at different barriers", lane};
                }
                place = at;
            });
            any = any || warp.live != 0;
            warp.waiting = 0;
        }
        block_.shadows.next_stretch();
    }

    std::uint64_t value(const std::string& name, const Warp& warp, int lane) const {
        const unsigned thread = warp.number * 32 + static_cast<unsigned>(lane);
        const auto& size = block_.size;
        const std::array<unsigned, 3> id{thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
        const auto axis = static_cast<std::size_t>(name.back() - 'x');
        if (name.starts_with("%tid"))
            return id[axis];
        if (name.starts_with("%ntid"))
            return size[axis];
        if (name.starts_with("%ctaid"))
            return block_.index[axis];
        if (name.starts_with("%nctaid"))
            return block_.grid[axis];
        return name == "%laneid" ? static_cast<unsigned>(lane) : warp.number;
    }

    const Kernel& kernel_;
    Block block_;
    std::vector<Warp> warps_;

public:
    const Warp* current = nullptr;
    std::uint32_t counter = 0;
    std::uint64_t instructions = 0;
};

std::atomic<std::uint64_t> all_instructions{0};

} // namespace

std::uint64_t instructions_run() noexcept { return all_instructions; }

abi::Result run(const Kernel& kernel, const Launch& launch, const Memory& memory) {
    const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    std::atomic<std::uint64_t> next{0};
    std::atomic<abi::Result> result{abi::success};
    std::mutex talking;
    const auto work = [&] {
        Worker worker(kernel, launch, memory);
        for (std::uint64_t block = next++; block < blocks && result == abi::success; block = next++) {
            try {
                worker.run({static_cast<unsigned>(block % launch.grid[0]),
                            static_cast<unsigned>(block / launch.grid[0] % launch.grid[1]),
                            static_cast<unsigned>(block / launch.grid[0] / launch.grid[1])});
            } catch (const Trap& trap) {
                const std::lock_guard lock(talking);
                std::fprintf(stderr, "simulator: kernel %s, %s: %s\n", kernel.name.c_str(), worker.where(trap).c_str(),
                             trap.what.c_str());
                result = trap.result;
            }
        }
        all_instructions += worker.instructions;
    };
    const std::uint64_t most = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < std::min(most, blocks); ++i)
        others.emplace_back(work);
    work();
    for (std::thread& other : others)
        other.join();
    return result;
}

} // namespace virtual_cuda
