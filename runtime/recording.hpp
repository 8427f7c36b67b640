#pragma once
/// Commands kept by a recording queue: in the form that parked queues keep them, since that can be run again.

#include "queue_state.hpp"
#include <devq/recording.hpp>

namespace devq::detail {

struct RecordingState {
    explicit RecordingState(std::shared_ptr<DeviceState> device) : device(std::move(device)) {}
    RecordingState(const RecordingState&) = delete;
    RecordingState& operator=(const RecordingState&) = delete;
    ~RecordingState();

    std::shared_ptr<DeviceState> device;
    std::vector<std::unique_ptr<ParkedCommand>> commands;
    std::vector<std::shared_ptr<backend::Memory>> memories; ///< each once; blocks of the pool are held
    std::shared_ptr<backend::Sequence> native;              ///< null: the commands are given one by one

    void add(std::unique_ptr<ParkedCommand> command);
    void keep(const std::shared_ptr<backend::Memory>& memory);
    /// Lets the backend take it as one, where it can. The queue's lock is held.
    void capture(QueueState& queue);
    void run(QueueState& queue) const;
};

/// Throws invalid_argument where `queue`, whose lock is held, records: `what` cannot be part of it.
void refuse_while_recording(const QueueState& queue, const char* operation);

} // namespace devq::detail
