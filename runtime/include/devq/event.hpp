#pragma once
#include <devq/api.hpp>
#include <memory>
#include <utility>

namespace devq {

namespace detail {
struct EventState;
}

/// A point in a queue's order of commands. A handle; thread-safe. An event recorded behind a failed command carries
/// that failure: wait() throws it (each time), and a queue that waits for the event fails with it.
class DEVQ_API Event {
public:
    Event() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    bool done() const; ///< true when reached, or failed
    void wait() const; ///< blocks; throws the failure

    /// For the library itself.
    explicit Event(std::shared_ptr<detail::EventState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::EventState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::EventState> state_;
};

/// Milliseconds on the device between two events of one queue. Throws invalid_argument for events of unlike devices or
/// ones that are not done yet, unsupported where the device does not tell times, and the failure of one that failed.
DEVQ_API double elapsed_ms(const Event& start, const Event& end);

} // namespace devq
