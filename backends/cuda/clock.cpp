#include "clock.hpp"
#include "context.hpp"
#include <algorithm>

namespace devq::cuda {

namespace {

constexpr std::chrono::seconds mark_life{1}; // a float of so many milliseconds is good to 60 ns

double elapsed_ns(Context& context, abi::Event from, abi::Event to) {
    float milliseconds = 0;
    context.check(context.driver().event_elapsed(&milliseconds, from, to), "cuEventElapsedTime");
    return 1e6 * static_cast<double>(milliseconds);
}

} // namespace

Clock::Mark::Mark(Context& of) : context(of) {
    context.check(context.driver().event_create(&event, abi::event_default), "cuEventCreate");
}

Clock::Mark::~Mark() {
    if (context.try_enter())
        context.note(context.driver().event_destroy(event), "cuEventDestroy");
}

void Clock::close() noexcept {
    last_.reset();
    next_.reset();
    if (stream_ != nullptr && context_.try_enter())
        context_.note(context_.driver().stream_destroy(stream_), "cuStreamDestroy");
    stream_ = nullptr;
}

std::shared_ptr<Clock::Mark> Clock::make() {
    auto mark = std::make_shared<Mark>(context_);
    context_.check(context_.driver().event_record(mark->event, stream_), "cuEventRecord");
    return mark;
}

std::shared_ptr<const Clock::Mark> Clock::mark() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (stream_ == nullptr)
        context_.check(context_.driver().stream_create(&stream_, abi::stream_non_blocking), "cuStreamCreate");
    if (!last_) {
        last_ = make();
        last_->nanoseconds = 1e9; // stamps never go below zero, even of events a little before their mark
        made_ = now;
    } else if (next_) { // a new one counts once it has been reached
        const abi::Result result = context_.driver().event_query(next_->event);
        if (result == abi::success) {
            next_->nanoseconds = last_->nanoseconds + elapsed_ns(context_, last_->event, next_->event);
            last_ = std::move(next_);
            made_ = now;
        } else if (result != abi::not_ready) {
            context_.check(result, "cuEventQuery");
        }
    } else if (now - made_ > mark_life) {
        next_ = make();
    }
    return last_;
}

std::uint64_t Clock::nanoseconds(const Mark& mark, abi::Event event) {
    context_.check(context_.driver().event_synchronize(mark.event), "cuEventSynchronize");
    return static_cast<std::uint64_t>(std::max(mark.nanoseconds + elapsed_ns(context_, mark.event, event), 0.0));
}

} // namespace devq::cuda
