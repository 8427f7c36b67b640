#pragma once
#include <cstddef>
#include <devq/api.hpp>
#include <devq/device.hpp>
#include <memory>

namespace devq {

namespace detail {
struct BufferState;
}

/// Memory of one device: a handle; copies share the memory. Commands already queued keep it alive until they are done.
class DEVQ_API Buffer {
public:
    Buffer() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    std::size_t size() const noexcept; ///< bytes
    Device device() const;

    friend bool operator==(const Buffer& a, const Buffer& b) noexcept { return a.state_ == b.state_; }

    /// For the library itself.
    explicit Buffer(std::shared_ptr<detail::BufferState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::BufferState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::BufferState> state_;
};

} // namespace devq
