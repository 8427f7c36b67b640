#pragma once
#include "stream.hpp"
#include <array>

namespace devq::cuda {

/// Host memory that the device reads by itself, through which one queue's writes go: their sources are free at once,
/// and nothing waits for the commands before them. Made at first use.
class Staging {
public:
    explicit Staging(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
    /// The stream is idle, or the context lost.
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// Submits the copies of `bytes` from `source`. The context is current.
    void write(abi::DevicePointer destination, const void* source, std::size_t bytes);

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 20;
    /// Blocks are filled one after the other, each by many small writes or a part of a large one.
    struct Block {
        std::byte* memory = nullptr;
        std::size_t used = 0;
        abi::Event last = nullptr; ///< behind the copies out of it
    };

    bool prepare();
    void next_block();

    std::shared_ptr<Stream> stream_;
    std::array<Block, 4> blocks_;
    std::size_t current_ = 0;
    bool ready_ = false, refused_ = false;
};

} // namespace devq::cuda
