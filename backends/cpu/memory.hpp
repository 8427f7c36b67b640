#pragma once
/// Blocks of host memory, accounted against what the machine has.

#include "backend.hpp"
#include <atomic>
#include <cstdint>

namespace devq::cpu {

/// Memory of the machine, or of the control group that the process lives in where that is less.
std::uint64_t machine_memory_bytes();
/// What could be allocated now without swapping, as the kernel estimates it; 0 where it does not say.
std::uint64_t available_memory_bytes();

/// What a device has handed out. Shared by its blocks, which may outlive it.
struct MemoryAccount {
    std::uint64_t limit = 0;
    std::atomic<std::uint64_t> used{0};
};

class Memory final : public backend::Memory {
public:
    /// Throws out_of_memory: Linux itself would promise any size and kill the process at first use.
    Memory(std::shared_ptr<MemoryAccount> account, std::size_t bytes);
    ~Memory() override;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* host_address() noexcept override { return data_; }

private:
    std::shared_ptr<MemoryAccount> account_;
    void* data_ = nullptr;
    std::size_t bytes_;
};

/// A part of a block, which it keeps.
class MemoryPart final : public backend::Memory {
public:
    MemoryPart(std::shared_ptr<backend::Memory> whole, std::size_t offset)
        : whole_(std::move(whole)), data_(static_cast<std::byte*>(whole_->host_address()) + offset) {}
    void* host_address() noexcept override { return data_; }

private:
    std::shared_ptr<backend::Memory> whole_;
    std::byte* data_;
};

} // namespace devq::cpu
