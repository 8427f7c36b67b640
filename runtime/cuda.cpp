#include "sharing.hpp"
#include <devq/cuda.hpp>

namespace devq::cuda {

using backend::NativeHandle;
using detail::Sharing;

namespace {

constexpr const char* name = "cuda";

NativeHandle handle(const void* pointer) noexcept { return reinterpret_cast<NativeHandle>(pointer); }

} // namespace

int device_number(const Device& device) {
    return static_cast<int>(Sharing{name, "cuda::device_number"}.device(device));
}

CUctx_st* context(const Device& device) {
    return reinterpret_cast<CUctx_st*>(Sharing{name, "cuda::context"}.context(device));
}

CUstream_st* stream(const Queue& queue) {
    return reinterpret_cast<CUstream_st*>(Sharing{name, "cuda::stream"}.queue(queue));
}

std::uint64_t address(const Buffer& buffer) { return Sharing{name, "cuda::address"}.memory(buffer); }

CUevent_st* event(const Event& event) {
    return reinterpret_cast<CUevent_st*>(Sharing{name, "cuda::event"}.event(event));
}

Queue wrap_stream(const Device& device, CUstream_st* stream) {
    return Sharing{name, "cuda::wrap_stream"}.wrap_queue(device, handle(stream));
}

Buffer wrap_memory(const Device& device, std::uint64_t address, std::size_t bytes, std::shared_ptr<void> owner) {
    const Sharing sharing{name, "cuda::wrap_memory"};
    if (address == 0 || address % 16 != 0 || bytes == 0)
        throw Error(ErrorCode::invalid_argument, sharing.operation,
                    std::to_string(bytes) + " bytes at address " + std::to_string(address) + " cannot be wrapped",
                    "Pass at least one byte at an address that is a multiple of 16, and not null.");
    return sharing.wrap_memory(device, address, bytes, std::move(owner));
}

Event wrap_event(const Device& device, CUevent_st* event) {
    const Sharing sharing{name, "cuda::wrap_event"};
    sharing.check_pointer(event, "CUevent");
    return sharing.wrap_event(device, handle(event));
}

} // namespace devq::cuda
