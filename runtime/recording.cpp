#include "recording.hpp"
#include "memory_pool.hpp"
#include <algorithm>

namespace devq {

using namespace detail;

namespace {

QueueState& checked_queue(const Queue& queue, const char* operation) {
    if (!queue)
        throw Error(ErrorCode::invalid_argument, operation, "the Queue is an empty handle",
                    "Take one from Device::create_queue.");
    queue.state()->device->check_usable(operation);
    return *queue.state();
}

const RecordingState& checked_recording(const std::shared_ptr<const RecordingState>& state, const char* operation) {
    if (!state)
        throw Error(ErrorCode::invalid_argument, operation, "this Recording is an empty handle",
                    "Take one from end_recording.");
    state->device->check_process(operation);
    return *state;
}

/// A replay that waits for its turn.
class ParkedReplay final : public ParkedCommand {
public:
    explicit ParkedReplay(std::shared_ptr<const RecordingState> recording)
        : ParkedCommand("Recording::replay"), recording_(std::move(recording)) {}
    Step run(QueueState& queue) override {
        recording_->run(queue);
        return Step::done;
    }

private:
    std::shared_ptr<const RecordingState> recording_;
};

} // namespace

RecordingState::~RecordingState() {
    if (device->forked()) { // driver objects stay with the parent: deliberately not destroyed in this process
        try {
            static_cast<void>(new auto(std::move(commands)));
            static_cast<void>(new auto(std::move(memories)));
            static_cast<void>(new auto(std::move(native)));
        } catch (...) {
            // No memory: they go after all.
        }
        return;
    }
    native.reset();
    commands.clear();
    for (auto& memory : memories)
        if (MemoryBlock* const block = memory->pool_block)
            device->pool->give_back(block, std::move(memory));
}

void RecordingState::add(std::unique_ptr<ParkedCommand> command) { commands.push_back(std::move(command)); }

void RecordingState::keep(const std::shared_ptr<backend::Memory>& memory) {
    if (!memory || std::find(memories.begin(), memories.end(), memory) != memories.end())
        return;
    memories.push_back(memory);
    if (memory->pool_block)
        device->pool->hold(*memory->pool_block);
}

void RecordingState::capture(QueueState& queue) {
    if (commands.empty() ||
        !std::all_of(commands.begin(), commands.end(), [](const auto& command) { return command->can_be_captured(); }))
        return;
    try {
        native = queue.native->capture([&] {
            for (const auto& command : commands)
                command->run(queue);
        });
    } catch (...) {
        device->note(std::current_exception());
        if (device->loss())
            throw;
        // The list does the same.
    }
}

void RecordingState::run(QueueState& queue) const {
    if (native)
        return queue.native->replay(native);
    for (const auto& command : commands)
        command->run(queue);
}

void detail::refuse_while_recording(const QueueState& queue, const char* operation) {
    if (queue.recording)
        throw Error(ErrorCode::invalid_argument, operation, "the queue is recording, and this cannot be recorded",
                    "Call end_recording first, or use another queue.");
}

Device Recording::device() const { return Device(checked_recording(state_, "Recording::device").device); }

std::size_t Recording::commands() const { return checked_recording(state_, "Recording::commands").commands.size(); }

bool Recording::is_graph() const { return checked_recording(state_, "Recording::is_graph").native != nullptr; }

void Recording::replay(const Queue& on) const {
    constexpr auto operation = "Recording::replay";
    const RecordingState& recording = checked_recording(state_, operation);
    QueueState& queue = checked_queue(on, operation);
    if (queue.device != recording.device)
        throw Error(ErrorCode::invalid_argument, operation,
                    "the commands are for " + recording.device->info.id + ", the queue is on " + queue.device->info.id,
                    "Use a queue of the device on which they were recorded.");
    FormerUsers former;
    call_backend(*queue.device, operation, [&] {
        for (const auto& memory : recording.memories)
            former.look(queue, memory.get());
    });
    const std::lock_guard lock(queue.mutex);
    refuse_while_recording(queue, operation);
    if (queue.failure)
        return;
    call_backend(*queue.device, operation, [&] {
        queue.use(recording.memories, former);
        if (queue.is_parked())
            queue.park(std::make_unique<ParkedReplay>(state_));
        else
            recording.run(queue);
    });
}

void begin_recording(const Queue& on) {
    constexpr auto operation = "begin_recording";
    QueueState& queue = checked_queue(on, operation);
    const std::lock_guard lock(queue.mutex);
    if (queue.recording)
        throw Error(ErrorCode::invalid_argument, operation, "the queue is recording already",
                    "Call end_recording first.");
    queue.recording = std::make_shared<RecordingState>(queue.device);
}

Recording end_recording(const Queue& on) {
    constexpr auto operation = "end_recording";
    QueueState& queue = checked_queue(on, operation);
    const std::lock_guard lock(queue.mutex);
    if (!queue.recording)
        throw Error(ErrorCode::invalid_argument, operation, "the queue is not recording",
                    "Call begin_recording first.");
    const auto recording = std::exchange(queue.recording, nullptr);
    call_backend(*queue.device, operation, [&] { recording->capture(queue); });
    return Recording(recording);
}

void cancel_recording(const Queue& on) noexcept {
    if (!on || on.state()->device->forked())
        return;
    std::shared_ptr<RecordingState> dropped; // goes after the lock
    const std::lock_guard lock(on.state()->mutex);
    dropped.swap(on.state()->recording);
}

} // namespace devq
