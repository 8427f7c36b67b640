#pragma once
#include "backend.hpp"
#include "command_log.hpp"
#include "context.hpp"

namespace devq::opencl {

/// A marker in a queue, with the queue's log up to it.
class Event final : public backend::Event {
public:
    /// `marker` may be null: recorded behind a known failure, when nothing is submitted any more. `queue` may be null
    /// for a marker that others have handed to the device.
    Event(std::shared_ptr<Context> context, std::shared_ptr<CommandLog> log, CommandLog::Place place,
          cl::CommandQueue queue, cl::Event marker);
    ~Event() override;

    bool done() override;
    void wait() override;
    std::uint64_t timestamp_ns() override;
    std::optional<backend::NativeHandle> native_handle() override;

    const cl_event& handle() const noexcept { return marker_(); }
    /// Hands the queue's commands to the device, without which nobody may wait for the marker.
    void flush();
    /// What failed before the marker, once it is reached.
    std::shared_ptr<const Error> failure();

private:
    std::shared_ptr<Context> context_;
    std::shared_ptr<CommandLog> log_;
    CommandLog::Place place_;
    cl::CommandQueue queue_;
    cl::Event marker_;
    std::atomic<bool> flushed_{false};
};

/// One that others have made in this context.
std::shared_ptr<Event> import_event(const std::shared_ptr<Context>& context, cl_event event);

} // namespace devq::opencl
