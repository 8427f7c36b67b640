#include "event.hpp"
#include "check.hpp"

namespace devq::opencl {

Event::Event(std::shared_ptr<Context> context, std::shared_ptr<CommandLog> log, CommandLog::Place place,
             cl::CommandQueue queue, cl::Event marker)
    : context_(std::move(context)), log_(std::move(log)), place_(std::move(place)), queue_(std::move(queue)),
      marker_(std::move(marker)) {}

Event::~Event() { forget_at_exit(marker_, queue_); }

void Event::flush() {
    if (marker_() && queue_() && !flushed_.exchange(true))
        check(clFlush(queue_()), "clFlush");
}

std::shared_ptr<const Error> Event::failure() {
    if (marker_())
        log_->finish(place_.number);
    return log_->failure_before(place_);
}

bool Event::done() {
    if (!marker_())
        return true;
    flush();
    cl_int status = CL_COMPLETE;
    check(clGetEventInfo(marker_(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
          "clGetEventInfo");
    return status <= CL_COMPLETE;
}

void Event::wait() {
    cl_int status = CL_SUCCESS;
    if (marker_()) {
        flush();
        status = clWaitForEvents(1, &marker_());
    }
    if (const std::shared_ptr<const Error> cause = failure())
        throw Error(*cause);
    check(status, "clWaitForEvents");
}

std::uint64_t Event::timestamp_ns() {
    if (!marker_())
        throw Error(*failure());
    cl_ulong end = 0;
    check(clGetEventProfilingInfo(marker_(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "clGetEventProfilingInfo");
    if (end < 1'000'000) // a driver that does not count, and says so with some small number
        throw Error(ErrorCode::unsupported, {}, "the driver does not tell when a command ended",
                    "Measure with the host's clock around Queue::wait.", "clGetEventProfilingInfo", 0);
    return end;
}

std::optional<backend::NativeHandle> Event::native_handle() {
    if (!marker_())
        throw Error(*failure());
    flush(); // whoever waits for the handle has no queue to flush
    return to_native(marker_());
}

std::shared_ptr<Event> import_event(const std::shared_ptr<Context>& context, cl_event event) {
    cl_context its_context = nullptr;
    cl_command_queue its_queue = nullptr; // stays null for a user event
    check_handle(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof its_context, &its_context, nullptr), "clGetEventInfo",
                 "cl_event");
    check(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof its_queue, &its_queue, nullptr), "clGetEventInfo");
    context->check_same(its_context, "event");
    // A log of the one command tells whether it failed.
    const auto log = std::make_shared<CommandLog>();
    cl::Event kept(event, true);
    check(clRetainEvent(event), "clRetainEvent"); // the log's own share
    CommandLog::Place place = log->mark(event);
    cl::CommandQueue queue = its_queue ? cl::CommandQueue(its_queue, true) : cl::CommandQueue();
    return std::make_shared<Event>(context, log, std::move(place), std::move(queue), std::move(kept));
}

} // namespace devq::opencl
