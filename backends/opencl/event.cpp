#include "event.hpp"
#include "check.hpp"

namespace devq::opencl {

Event::Event(std::shared_ptr<Context> context, std::shared_ptr<CommandLog> log, std::uint64_t number,
             cl::CommandQueue queue, cl::Event marker)
    : context_(std::move(context)), log_(std::move(log)), number_(number), queue_(std::move(queue)),
      marker_(std::move(marker)) {}

Event::~Event() { forget_at_exit(marker_, queue_); }

void Event::flush() {
    if (marker_() && !flushed_.exchange(true))
        check(clFlush(queue_()), "clFlush");
}

std::shared_ptr<const Error> Event::failure() {
    if (marker_())
        log_->finish(number_);
    return log_->failure_before(number_);
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

} // namespace devq::opencl
