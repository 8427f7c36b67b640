#pragma once
#include "context.hpp"
#include <array>
#include <cstdint>

namespace devq::cuda {

/// Host memory that the device writes by itself, through which one stream's reads come: while the device fills a block,
/// the host copies the one before to where it belongs. A read that fits blocks nobody; whoever sees that the stream has
/// passed it does its last copies (Stream::pass). Blocks are made when they are first needed.
class ReadBack {
public:
    ReadBack() = default;
    ReadBack(const ReadBack&) = delete;
    ReadBack& operator=(const ReadBack&) = delete;
    /// The stream is idle, or the context lost.
    void close(Context& context) noexcept;

    /// Submits the copies of command `number`. Only from the queue's own thread; the context is current.
    void read(Context& context, abi::Stream stream, std::uint64_t number, void* destination, abi::DevicePointer source,
              std::size_t bytes);
    /// The commands up to `number` are done.
    void finish(std::uint64_t number) noexcept;

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 20;
    struct Block {
        std::byte* memory = nullptr;
        abi::Event arrived = nullptr;
        bool recorded = false;
        // Guarded by mutex_: what is to be copied out, and where to.
        void* destination = nullptr;
        std::size_t bytes = 0;
        std::uint64_t number = 0, order = 0;
    };

    bool prepare(Context& context, Block& block);
    Block& next_block() noexcept;
    void empty(Context& context, abi::Stream stream, Block& block);
    void submit(Context& context, abi::Stream stream, std::uint64_t number, std::byte* destination,
                abi::DevicePointer source, std::size_t bytes);

    std::array<Block, 4> blocks_;
    std::uint64_t order_ = 0;
    bool refused_ = false;
    std::mutex mutex_;
};

} // namespace devq::cuda
