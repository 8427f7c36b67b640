#include "staging.hpp"
#include <algorithm>
#include <cstring>

namespace devq::cuda {

Staging::~Staging() {
    Context& context = stream_->context();
    if (!context.try_enter())
        return;
    for (const Block& block : blocks_) {
        if (block.last != nullptr)
            context.note(context.driver().event_destroy(block.last), "cuEventDestroy");
        if (block.memory != nullptr)
            context.note(context.driver().host_free(block.memory), "cuMemFreeHost");
    }
}

/// False where the system has no such memory to give: then writes wait.
bool Staging::prepare() {
    if (ready_ || refused_)
        return ready_;
    Context& context = stream_->context();
    for (Block& block : blocks_) {
        void* memory = nullptr;
        if (block.last == nullptr)
            context.check(context.driver().event_create(&block.last, abi::event_disable_timing), "cuEventCreate");
        if (block.memory == nullptr) {
            const abi::Result result = context.driver().host_alloc(&memory, block_bytes, 0);
            context.note(result, "cuMemHostAlloc");
            if (result != abi::success) {
                refused_ = true;
                return false;
            }
            block.memory = static_cast<std::byte*>(memory);
        }
    }
    ready_ = true;
    return true;
}

void Staging::next_block() {
    Context& context = stream_->context();
    context.check(context.driver().event_record(blocks_[current_].last, stream_->handle()), "cuEventRecord");
    current_ = (current_ + 1) % blocks_.size();
    // One that was never recorded counts as reached.
    context.check(context.driver().event_synchronize(blocks_[current_].last), "cuEventSynchronize");
    blocks_[current_].used = 0;
}

void Staging::write(abi::DevicePointer destination, const void* source, std::size_t bytes) {
    Context& context = stream_->context();
    if (!prepare()) {
        context.check(context.driver().copy_in(destination, source, bytes, stream_->handle()), "cuMemcpyHtoDAsync");
        stream_->submitted();
        stream_->wait();
        return;
    }
    const auto* from = static_cast<const std::byte*>(source);
    for (std::size_t done = 0; done < bytes;) {
        if (blocks_[current_].used == block_bytes)
            next_block();
        Block& block = blocks_[current_];
        const std::size_t part = std::min(bytes - done, block_bytes - block.used);
        std::byte* place = block.memory + block.used;
        std::memcpy(place, from + done, part);
        context.check(context.driver().copy_in(destination + done, place, part, stream_->handle()),
                      "cuMemcpyHtoDAsync");
        block.used = std::min(block_bytes, (block.used + part + 63) / 64 * 64);
        done += part;
    }
    stream_->submitted();
}

} // namespace devq::cuda
