#include "read_back.hpp"
#include <algorithm>
#include <cstring>
#include <utility>

namespace devq::cuda {

void ReadBack::close(Context& context) noexcept {
    for (const Block& block : blocks_) {
        if (block.arrived != nullptr)
            context.note(context.driver().event_destroy(block.arrived), "cuEventDestroy");
        if (block.memory != nullptr)
            context.note(context.driver().host_free(block.memory), "cuMemFreeHost");
    }
}

/// False where the system has no such memory to give.
bool ReadBack::prepare(Context& context, Block& block) {
    if (block.arrived == nullptr)
        context.check(context.driver().event_create(&block.arrived, abi::event_disable_timing), "cuEventCreate");
    if (block.memory == nullptr) {
        void* memory = nullptr;
        const abi::Result result = context.driver().host_alloc(&memory, block_bytes, 0);
        context.note(result, "cuMemHostAlloc");
        if (result != abi::success)
            return false;
        block.memory = static_cast<std::byte*>(memory);
    }
    return true;
}

/// One that has nothing to be copied out, else the one that was filled first.
ReadBack::Block& ReadBack::next_block() noexcept {
    const std::lock_guard lock(mutex_);
    Block* oldest = &blocks_.front();
    for (Block& block : blocks_) {
        if (block.destination == nullptr)
            return block;
        if (block.order < oldest->order)
            oldest = &block;
    }
    return *oldest;
}

void ReadBack::empty(Context& context, abi::Stream stream, Block& block) {
    {
        const std::lock_guard lock(mutex_);
        if (block.destination == nullptr)
            return;
    }
    if (!std::exchange(block.recorded, true))
        context.check(context.driver().event_record(block.arrived, stream), "cuEventRecord");
    context.check(context.driver().event_synchronize(block.arrived), "cuEventSynchronize");
    const std::lock_guard lock(mutex_);
    if (block.destination != nullptr)
        std::memcpy(std::exchange(block.destination, nullptr), block.memory, block.bytes);
}

void ReadBack::read(Context& context, abi::Stream stream, std::uint64_t number, void* destination,
                    abi::DevicePointer source, std::size_t bytes) {
    try {
        submit(context, stream, number, static_cast<std::byte*>(destination), source, bytes);
    } catch (...) { // the caller is told and may free the destination
        const std::lock_guard lock(mutex_);
        for (Block& block : blocks_)
            if (block.number == number)
                block.destination = nullptr;
        throw;
    }
}

void ReadBack::submit(Context& context, abi::Stream stream, std::uint64_t number, std::byte* destination,
                      abi::DevicePointer source, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        Block& block = next_block();
        if (refused_ || !prepare(context, block)) { // then the driver waits for the rest
            refused_ = true;
            context.check(context.driver().copy_out(destination + done, source + done, bytes - done, stream),
                          "cuMemcpyDtoHAsync");
            return;
        }
        empty(context, stream, block);
        const std::size_t part = std::min(bytes - done, block_bytes);
        context.check(context.driver().copy_out(block.memory, source + done, part, stream), "cuMemcpyDtoHAsync");
        block.recorded = bytes > block_bytes; // else it is hardly ever waited for on its own
        if (block.recorded)
            context.check(context.driver().event_record(block.arrived, stream), "cuEventRecord");
        const std::lock_guard lock(mutex_);
        block.destination = destination + done;
        block.bytes = part;
        block.number = number;
        block.order = ++order_;
        done += part;
    }
}

void ReadBack::finish(std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_)
        if (block.destination != nullptr && block.number <= number)
            std::memcpy(std::exchange(block.destination, nullptr), block.memory, block.bytes);
}

} // namespace devq::cuda
