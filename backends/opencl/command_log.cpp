#include "command_log.hpp"
#include "check.hpp"
#include "event.hpp"
#include <algorithm>
#include <limits>
#include <new>

namespace devq::opencl {

static constexpr std::uint64_t open_end = std::numeric_limits<std::uint64_t>::max();

CommandLog::CommandLog() : ring_(256) {}

CommandLog::~CommandLog() {
    for (; oldest_ <= last_; ++oldest_)
        if (at(oldest_).event && !process_ends())
            clReleaseEvent(at(oldest_).event);
}

std::uint64_t CommandLog::add(cl_event event, std::unique_ptr<std::byte[]> staging, std::size_t staged,
                              std::shared_ptr<Event> awaited) {
    std::unique_lock lock(mutex_);
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
    staged_ += staged;
    at(++last_) = {event, std::move(staging), staged, std::move(awaited)};
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
    if (failed_ || (!failures_.empty() && number <= failures_.back().last))
        return; // the first one counts
    failures_.push_back({number, open_end, std::move(error)});
    failed_.store(true, std::memory_order_release);
}

void CommandLog::fail(const Error& error) {
    std::lock_guard lock(mutex_);
    fail_locked(last_, std::make_shared<const Error>(error));
}

std::shared_ptr<const Error> CommandLog::failure_before(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    settle_locked(lock, number); // no further: a log that this one waits for may be waiting for what came before
    for (const Failure& failure : failures_)
        if (failure.first <= number && number <= failure.last)
            return failure.error;
    return nullptr;
}

std::shared_ptr<const Error> CommandLog::take_failure() {
    std::lock_guard lock(mutex_);
    if (!failed_)
        return nullptr;
    failures_.back().last = last_;
    failed_.store(false, std::memory_order_release);
    return failures_.back().error;
}

std::uint64_t CommandLog::last() const {
    std::lock_guard lock(mutex_);
    return last_;
}

} // namespace devq::opencl
