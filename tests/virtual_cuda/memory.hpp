#pragma once
/// Device memory of the stand-in: addresses that mean nothing to the host, and an account of every block.

#include "abi.hpp"
#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <map>
#include <memory>

namespace virtual_cuda {

class DEVQ_API Memory {
public:
    explicit Memory(std::size_t bytes = 0, unsigned long long base = 0) : total_(bytes), next_(base) {}

    /// 0 when there is not so much left.
    devq::cuda::abi::DevicePointer allocate(std::size_t bytes);
    bool free(devq::cuda::abi::DevicePointer address);
    /// Where `bytes` from `address` on lie, all within one living block; null otherwise.
    std::byte* find(devq::cuda::abi::DevicePointer address, std::size_t bytes) const;
    /// The same for what is about to be written there, by others than kernels: from `source` on the device `from`, or
    /// (null) from the host.
    std::byte* find_written(devq::cuda::abi::DevicePointer address, std::size_t bytes, const Memory* from = nullptr,
                            devq::cuda::abi::DevicePointer source = 0) const;

    struct Range {
        devq::cuda::abi::DevicePointer begin = 0;
        std::size_t bytes = 0; ///< 0: there is none
        std::byte* content = nullptr;
        std::uint8_t* marks = nullptr; ///< 1 for each byte that has been written; null unless that is checked
    };
    /// The living block around `address`.
    Range range(devq::cuda::abi::DevicePointer address) const;

    std::size_t total() const noexcept { return total_; }
    std::size_t used() const noexcept { return used_; }
    std::size_t blocks() const noexcept { return blocks_.size(); }

private:
    struct Block {
        std::unique_ptr<std::byte[]> content;
        std::size_t bytes;
        std::unique_ptr<std::uint8_t[]> marks;
    };
    std::size_t total_, used_ = 0;
    unsigned long long next_; ///< addresses are not used again, so that a stale one is always found out
    std::map<devq::cuda::abi::DevicePointer, Block> blocks_;
};

} // namespace virtual_cuda
