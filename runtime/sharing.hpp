#pragma once
/// What devq/opencl.hpp and devq/cuda.hpp have in common. `backend` is the one that the caller's handles are of; each
/// function refuses what belongs to another.

#include "state.hpp"

namespace devq::detail {

struct Sharing {
    const char* backend;
    const char* operation;

    backend::NativeHandle device(const Device& device) const;
    backend::NativeHandle context(const Device& device) const;
    /// Blocks until everything asked for has been handed to the backend.
    backend::NativeHandle queue(const Queue& queue) const;
    backend::NativeHandle memory(const Buffer& buffer) const; ///< 0 for a buffer without bytes
    backend::NativeHandle event(const Event& event) const;

    Device wrap_device(backend::NativeHandle device, backend::NativeHandle context) const;
    Queue wrap_queue(const Device& device, backend::NativeHandle queue) const;
    /// `bytes` where the backend cannot tell; `owner` goes after the last use.
    Buffer wrap_memory(const Device& device, backend::NativeHandle memory, std::size_t bytes = 0,
                       std::shared_ptr<void> owner = nullptr) const;
    Event wrap_event(const Device& device, backend::NativeHandle event) const;

    void check_pointer(const void* handle, const char* what) const;

private:
    DeviceState& checked(const std::shared_ptr<DeviceState>& device) const;
    backend::NativeHandle given(std::optional<backend::NativeHandle> handle) const;
};

} // namespace devq::detail
