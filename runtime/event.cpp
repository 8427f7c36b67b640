#include "bridge.hpp"
#include "memory_block.hpp"
#include "state.hpp"
#include <devq/event.hpp>

namespace devq {

using namespace detail;

namespace {

EventState& checked_event(const Event& event, const char* operation) {
    if (!event)
        throw Error(ErrorCode::invalid_argument, operation, "this Event is an empty handle",
                    "Take one from Queue::record.");
    event.state()->device->check_process(operation);
    return *event.state();
}

/// The device's clock at an event that is done.
std::uint64_t timestamp(EventState& event, const char* operation, const char* role) {
    std::shared_ptr<backend::Event> native;
    {
        const std::lock_guard lock(event.mutex);
        if (event.failure)
            std::rethrow_exception(event.failure);
        native = event.native;
    }
    if (!native || !native->done())
        throw Error(ErrorCode::invalid_argument, operation, std::string("the ") + role + " event is not done yet",
                    "Wait for it first (Event::wait).");
    native->wait();
    return native->timestamp_ns();
}

} // namespace

void detail::wait_for(EventState& event) {
    std::shared_ptr<backend::Event> native;
    {
        std::unique_lock lock(event.mutex);
        bridge::wait(lock, event.changed, [&] { return event.native || event.failure; });
        if (event.failure)
            std::rethrow_exception(event.failure);
        native = event.native;
    }
    native->wait();
    event.passed();
}

bool Event::done() const {
    constexpr auto operation = "Event::done";
    EventState& event = checked_event(*this, operation);
    std::shared_ptr<backend::Event> native;
    {
        const std::lock_guard lock(event.mutex);
        if (event.failure)
            return true;
        native = event.native;
    }
    if (!native || !call_backend(*event.device, operation, [&] { return native->done(); }))
        return false;
    try {
        if (event.queue && event.queue->passed.load(std::memory_order_relaxed) < event.number)
            native->wait(); // says whether it was reached by way of a failure
        event.passed();
    } catch (...) {
        // wait() tells.
    }
    return true;
}

void Event::wait() const {
    constexpr auto operation = "Event::wait";
    EventState& event = checked_event(*this, operation);
    try {
        detail::wait_for(event);
    } catch (...) {
        rethrow(operation);
    }
}

double elapsed_ms(const Event& start, const Event& end) {
    constexpr auto operation = "elapsed_ms";
    EventState& first = checked_event(start, operation);
    EventState& last = checked_event(end, operation);
    if (first.device != last.device)
        throw Error(ErrorCode::invalid_argument, operation,
                    "the events are of devices " + first.device->info.id + " and " + last.device->info.id,
                    "Take both events from queues of one device.");
    try {
        const std::uint64_t from = timestamp(first, operation, "first"), to = timestamp(last, operation, "second");
        return (to >= from ? static_cast<double>(to - from) : -static_cast<double>(from - to)) * 1e-6;
    } catch (...) {
        rethrow(operation);
    }
}

} // namespace devq
