#include "event.hpp"

namespace devq::cuda {

Event::Event(std::shared_ptr<Context> context, std::shared_ptr<Stream> stream)
    : context_(std::move(context)), stream_(std::move(stream)), number_(stream_->last()),
      mark_(context_->clock().mark()) {
    const Driver& driver = context_->driver();
    context_->check(driver.event_create(&handle_, abi::event_default), "cuEventCreate");
    if (const abi::Result result = driver.event_record(handle_, stream_->handle()); result != abi::success) {
        driver.event_destroy(handle_); // the destructor does not run
        context_->fail(result, "cuEventRecord", {});
    }
}

Event::~Event() {
    if (stream_ && context_->try_enter())
        context_->note(context_->driver().event_destroy(handle_), "cuEventDestroy");
}

bool Event::done() {
    if (context_->lost() || (stream_ && stream_->passed(number_)))
        return true;
    context_->enter();
    const abi::Result result = context_->driver().event_query(handle_);
    if (result == abi::not_ready)
        return false;
    context_->note(result, "cuEventQuery"); // wait() tells the failure
    if (result == abi::success && stream_)
        stream_->pass(number_);
    return true;
}

void Event::wait() {
    context_->enter();
    context_->check(context_->driver().event_synchronize(handle_), "cuEventSynchronize");
    if (stream_)
        stream_->pass(number_);
}

std::uint64_t Event::timestamp_ns() {
    if (!mark_)
        throw Error(ErrorCode::unsupported, {}, "the time of an event that devq has not recorded is not known",
                    "Measure between events of Queue::record.");
    context_->enter();
    return context_->clock().nanoseconds(*mark_, handle_);
}

} // namespace devq::cuda
