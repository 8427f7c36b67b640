#pragma once
/// A sequence of commands that is asked for once and then run again and again: what every command costs the host before
/// it runs (checks, choices, packing of arguments) is paid once. On CUDA it becomes a graph where it can, elsewhere it
/// is a list.

#include <cstddef>
#include <devq/api.hpp>
#include <devq/device.hpp>
#include <devq/queue.hpp>
#include <memory>

namespace devq {

namespace detail {
struct RecordingState;
}

/// A handle; copies share the commands. What these use (buffers, kernels, values, bytes that were written) is kept as
/// long as there is a handle. Thread-safe.
class DEVQ_API Recording {
public:
    Recording() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    Device device() const;
    std::size_t commands() const;
    bool is_graph() const; ///< the driver holds it as one object (a CUDA graph)
    /// Runs the commands once, in order, behind what `queue` has been asked for; `queue` may be any of the device's
    /// that is not recording. Fails as each of them would; one that is refused at the call leaves those before it
    /// queued.
    void replay(const Queue& queue) const;

    /// For the library itself.
    explicit Recording(std::shared_ptr<const detail::RecordingState> state) noexcept : state_(std::move(state)) {}

private:
    std::shared_ptr<const detail::RecordingState> state_;
};

/// From here on `queue` keeps what it is asked for, by whatever thread, and runs none of it: launches, operations,
/// writes (with the bytes as they are now), fills, and copies that stay within the device or go straight to another.
/// Anything else it is asked for (read, record, wait_for, wait, flush, copies through the host, native handles) throws
/// invalid_argument and leaves the recording as it was. Throws invalid_argument where it records already.
DEVQ_API void begin_recording(const Queue& queue);
/// What was asked for since; the queue runs commands again. Throws invalid_argument where it does not record.
DEVQ_API Recording end_recording(const Queue& queue);
/// The queue runs commands again, and what was recorded is forgotten. Nothing happens where it does not record.
DEVQ_API void cancel_recording(const Queue& queue) noexcept;

/// What `body()` asks of `queue`. When it throws, the queue runs commands again.
template <class Body>
Recording record_commands(const Queue& queue, Body&& body) {
    begin_recording(queue);
    try {
        body();
    } catch (...) {
        cancel_recording(queue);
        throw;
    }
    return end_recording(queue);
}

} // namespace devq
