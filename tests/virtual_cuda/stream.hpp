#pragma once
/// Streams and events of the stand-in. A command runs only when somebody waits for it, or polls: the latest moment that
/// the interface allows, so that a forgotten wait shows.

#include "abi.hpp"
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

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
    bool captures = false;    ///< commands go to `captured`
    bool invalidated = false; ///< the capture met something that no graph can hold
    std::vector<Work> captured;

    /// What a call submits.
    void add(Work work) {
        if (captures)
            captured.push_back(std::move(work));
        else
            commands.push_back(std::move(work));
    }
    /// For calls that no capture can hold.
    bool spoils_capture() noexcept {
        invalidated = invalidated || captures;
        return captures;
    }
};

/// A graph as it was captured, and one that can be launched: both are the commands in order.
struct GraphState {
    std::vector<StreamState::Work> commands;
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
