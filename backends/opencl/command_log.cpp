#include "command_log.hpp"
#include "check.hpp"
#include "event.hpp"
#include <algorithm>
#include <limits>
#include <new>

namespace devq::opencl {

static constexpr std::uint64_t open_end = std::numeric_limits<std::uint64_t>::max();

CommandLog::CommandLog() : ring_(256), span_(std::make_shared<Span>()) {}

CommandLog::~CommandLog() {
    for (; oldest_ <= last_; ++oldest_)
        if (at(oldest_).event && !process_ends())
            clReleaseEvent(at(oldest_).event);
}

std::uint64_t CommandLog::add(cl_event event, std::unique_ptr<std::byte[]> staging, std::size_t staged,
                              std::shared_ptr<Event> awaited) {
    std::unique_lock lock(mutex_);
    return add_locked(lock, {event, std::move(staging), staged, std::move(awaited)});
}

CommandLog::Place CommandLog::mark(cl_event event) {
    std::unique_lock lock(mutex_);
    const std::uint64_t number = add_locked(lock, {event, nullptr, 0, nullptr});
    return {number, span_};
}

CommandLog::Place CommandLog::last_place() const {
    std::lock_guard lock(mutex_);
    return {last_, span_};
}

std::uint64_t CommandLog::add_locked(std::unique_lock<std::mutex>& lock, Command command) {
    if (last_ + 1 - oldest_ == ring_.size()) {
        settle_locked(lock, open_end);
        if (last_ + 1 - oldest_ > ring_.size() / 2) // a long queue: look less often
            grow();
        while (last_ + 1 - oldest_ == ring_.size()) { // no memory to grow: the command is with the driver already
            const cl::Event pending(at(oldest_).event, true);
            lock.unlock();
            clWaitForEvents(1, &pending());
            lock.lock();
            settle_locked(lock, open_end);
        }
    }
    staged_ += command.staged;
    at(++last_) = std::move(command);
    return last_;
}

void CommandLog::grow() noexcept try {
    std::vector<Command> larger(ring_.size() * 2);
    for (std::uint64_t n = oldest_; n <= last_; ++n)
        larger[n & (larger.size() - 1)] = std::move(at(n));
    ring_ = std::move(larger);
} catch (const std::bad_alloc&) { // then it stays as it is
}

void CommandLog::settle() {
    std::unique_lock lock(mutex_);
    settle_locked(lock, open_end);
}

void CommandLog::finish(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    for (;;) {
        settle_locked(lock, number);
        if (oldest_ > number)
            return;
        const cl::Event pending(at(oldest_).event, true);
        lock.unlock();
        const cl_int status = clWaitForEvents(1, &pending());
        lock.lock();
        if (status != CL_SUCCESS && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
            return fail_locked(number, std::make_shared<const Error>(error_from(status, "clWaitForEvents")));
    }
}

void CommandLog::settle_locked(std::unique_lock<std::mutex>& lock, std::uint64_t limit) {
    while (oldest_ <= std::min(last_, limit)) {
        Command& command = at(oldest_);
        cl_int status = CL_COMPLETE;
        const cl_int asked =
            clGetEventInfo(command.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (asked != CL_SUCCESS)
            status = asked;
        if (status > CL_COMPLETE)
            return;
        if (command.awaited) {
            // The other queue's log has a lock of its own and may be looking at this one: ask without ours.
            const std::uint64_t number = oldest_;
            const std::shared_ptr<Event> awaited = command.awaited;
            lock.unlock();
            const std::shared_ptr<const Error> cause = awaited->failure();
            lock.lock();
            if (cause)
                fail_locked(number, cause);
            if (oldest_ == number) // another thread may have settled it meanwhile
                at(number).awaited.reset();
            continue;
        }
        if (status < 0)
            fail_locked(oldest_, std::make_shared<const Error>(error_from(status, "a queued command")));
        clReleaseEvent(command.event);
        staged_ -= command.staged;
        command = {};
        ++oldest_;
    }
}

void CommandLog::fail_locked(std::uint64_t number, std::shared_ptr<const Error> error) {
    if (number > told_)
        spoil_from(number, std::move(error));
}

void CommandLog::spoil_from(std::uint64_t number, std::shared_ptr<const Error> error) {
    if (failed_)
        return; // the first one counts
    span_->first = number;
    span_->error = std::move(error);
    failed_.store(true, std::memory_order_release);
}

void CommandLog::fail(const Error& error) {
    std::lock_guard lock(mutex_);
    spoil_from(last_, std::make_shared<const Error>(error)); // also where nothing was submitted since the last one
}

std::shared_ptr<const Error> CommandLog::failure_before(const Place& place) {
    std::unique_lock lock(mutex_);
    settle_locked(lock, place.number); // no further: a log that this one waits for may be waiting for what came before
    return place.span->error && place.span->first <= place.number ? place.span->error : nullptr;
}

std::shared_ptr<const Error> CommandLog::take_failure() {
    std::lock_guard lock(mutex_);
    if (!failed_)
        return nullptr;
    auto fresh = std::make_shared<Span>();
    std::shared_ptr<const Error> error = span_->error;
    span_ = std::move(fresh);
    told_ = last_;
    failed_.store(false, std::memory_order_release);
    return error;
}

std::uint64_t CommandLog::last() const {
    std::lock_guard lock(mutex_);
    return last_;
}

} // namespace devq::opencl
