#pragma once
/// Streams and events of the stand-in. A command runs only when somebody waits for it, or polls: the latest moment that
/// the interface allows, so that a forgotten wait shows.

#include "abi.hpp"
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

namespace virtual_cuda {

struct Device;
struct StreamState;

struct EventState {
    Device* device = nullptr;
    bool timed = true;
    unsigned long recorded = 0, reached = 0; ///< how many times
    std::chrono::steady_clock::time_point time;
    std::weak_ptr<StreamState> stream; ///< where it was recorded last

    bool done() const noexcept { return reached >= recorded; }
};

struct StreamState {
    using Work = std::function<devq::cuda::abi::Result()>;

    Device* device = nullptr;
    std::deque<Work> commands;
};

/// Runs the first command. False when there was none.
bool advance(StreamState& stream);
/// Runs all of them.
void drain(StreamState& stream);
void record(const std::shared_ptr<EventState>& event, const std::shared_ptr<StreamState>& stream);
void wait_for(StreamState& stream, const std::shared_ptr<EventState>& event);
/// Runs what stands before record number `count` of `event`.
void reach(EventState& event, unsigned long count);

} // namespace virtual_cuda
