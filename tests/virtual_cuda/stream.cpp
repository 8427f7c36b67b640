#include "stream.hpp"
#include "world.hpp"

namespace virtual_cuda {

bool advance(StreamState& stream) {
    if (stream.commands.empty())
        return false;
    const StreamState::Work work = std::move(stream.commands.front());
    stream.commands.pop_front();
    const abi::Result result = work(); // also on a broken device: events have to be reached
    if (result != abi::success && stream.device->broken == abi::success)
        stream.device->broken = result;
    return true;
}

void drain(StreamState& stream) {
    while (advance(stream)) {
    }
}

void record(const std::shared_ptr<EventState>& event, const std::shared_ptr<StreamState>& stream) {
    const unsigned long count = ++event->recorded;
    event->stream = stream;
    stream->add([event, count] {
        event->reached = count;
        event->time = std::chrono::steady_clock::now();
        return abi::success;
    });
}

void wait_for(StreamState& stream, const std::shared_ptr<EventState>& event) {
    const unsigned long count = event->recorded;
    stream.add([event, count] {
        reach(*event, count);
        return abi::success;
    });
}

void reach(EventState& event, unsigned long count) {
    while (event.reached < count) {
        const auto stream = event.stream.lock();
        if (!stream || !advance(*stream))
            return; // its stream is gone, and was drained
    }
}

} // namespace virtual_cuda
