#pragma once
/// A queue behind its handles. Commands go straight to the backend's queue; once the queue waits for something that the
/// backend cannot wait for (another device's event, a copy through the host), it is *parked*: commands are kept, with
/// their values copied, and the bridge thread hands them over in order when the time has come.

#include "memory_block.hpp"
#include "state.hpp"
#include <deque>
#include <initializer_list>
#include <utility>
#include <vector>

namespace devq::detail {

/// A command kept by a parked queue.
class ParkedCommand {
public:
    enum class Step { done, waiting };

    explicit ParkedCommand(const char* operation) noexcept : operation(operation) {}
    ParkedCommand(const ParkedCommand&) = delete;
    ParkedCommand& operator=(const ParkedCommand&) = delete;
    virtual ~ParkedCommand() = default;

    /// Called with the queue's lock held, again and again while it says `waiting`; never blocks for long. What it
    /// throws becomes the queue's failure.
    virtual Step run(QueueState& queue) = 0;
    /// The queue failed before this command's turn, or at it.
    virtual void drop(const std::exception_ptr&) noexcept {}
    /// It may stand in what a backend takes as a sequence: nothing but a launch, a fill or a copy on the device.
    virtual bool can_be_captured() const noexcept { return false; }

    const char* const operation;
};

/// A command that is one call to the backend's queue.
template <class Call>
class ParkedCall final : public ParkedCommand {
public:
    ParkedCall(const char* operation, Call call, bool on_device)
        : ParkedCommand(operation), call_(std::move(call)), on_device_(on_device) {}
    Step run(QueueState& queue) override;
    bool can_be_captured() const noexcept override { return on_device_; }

private:
    Call call_;
    bool on_device_;
};

struct RecordingState;

/// Events behind those who used memory before it was given to whoever uses it now; almost always none.
class FormerUsers {
public:
    /// `queue` is about to use `memory` and is not locked; null is passed over.
    void look(const QueueState& queue, const backend::Memory* memory);

private:
    friend struct QueueState;
    struct Entry {
        const MemoryBlock* block;
        MemoryUse use;
        std::shared_ptr<EventState> event;
    };
    std::vector<Entry> entries_;
};

struct QueueState : std::enable_shared_from_this<QueueState> {
    /// What advance() did. `drained`: the queue is not parked any more, and no longer the bridge's.
    struct Progress {
        bool drained = false;
        bool moved = false;
    };

    std::shared_ptr<DeviceState> device;
    std::mutex mutex; ///< guards all that follows
    std::unique_ptr<backend::Queue> native;
    std::exception_ptr failure; ///< of a parked command or of an awaited event; commands are dropped while it is set
    std::shared_ptr<RecordingState> recording; ///< while the queue records, what it is asked for goes there
    std::shared_ptr<QueueProgress> progress = std::make_shared<QueueProgress>();

    /// A handle whose last copy waits for what is queued and says on stderr what failed unread.
    static std::shared_ptr<QueueState> create(const std::shared_ptr<DeviceState>& device);
    static std::shared_ptr<QueueState> create(const std::shared_ptr<DeviceState>& device,
                                              std::unique_ptr<backend::Queue> native);

    bool is_parked() const noexcept { return !parked_.empty(); }
    void park(std::unique_ptr<ParkedCommand> command); ///< with the lock held
    Progress advance() noexcept;                       ///< for the bridge: hands over what is ready
    /// An event behind all that is queued; with the lock held.
    std::shared_ptr<EventState> record();
    /// Blocks until all that was queued before the call is done; the first failure, which is then cleared, or null.
    std::exception_ptr finish() noexcept;
    /// The next command uses these, of a list that memory_of() knows; with the lock held. Waits in the queue for what
    /// `others` names, where it has to.
    template <class Memories>
    void use(const Memories& memories, const FormerUsers& others);
    /// A queue of another device for this one's copies; with the lock held.
    backend::Queue& peer(const std::shared_ptr<DeviceState>& other);

private:
    void wait_for_former(const FormerUsers& others);
    std::exception_ptr collect() noexcept;
    void drop_parked() noexcept;
    void close() noexcept;

    std::deque<std::unique_ptr<ParkedCommand>> parked_;
    bool loss_read_ = false;
    std::vector<std::pair<std::shared_ptr<DeviceState>, std::unique_ptr<backend::Queue>>> peers_;
};

// What stands for memory in a list.
inline const backend::Memory* memory_of(const backend::Memory* memory) noexcept { return memory; }
inline const backend::Memory* memory_of(const std::shared_ptr<backend::Memory>* memory) noexcept {
    return memory->get();
}
inline const backend::Memory* memory_of(const std::shared_ptr<backend::Memory>& memory) noexcept {
    return memory.get();
}
inline const backend::Memory* memory_of(const backend::Argument& argument) noexcept { return argument.memory.get(); }

template <class Memories>
void QueueState::use(const Memories& memories, const FormerUsers& others) {
    if (!others.entries_.empty()) [[unlikely]]
        wait_for_former(others);
    const std::uint64_t number = progress->submitted.load(std::memory_order_relaxed) + 1;
    for (const auto& each : memories)
        if (const backend::Memory* memory = memory_of(each); memory && memory->pool_block)
            memory->pool_block->used_by(progress, number);
    progress->submitted.store(number, std::memory_order_relaxed);
    queue_at_hand() = progress.get();
}

template <class Call>
ParkedCommand::Step ParkedCall<Call>::run(QueueState& queue) {
    call_(*queue.native);
    return Step::done;
}

/// `on_device`: no host memory takes part.
template <class Call>
std::unique_ptr<ParkedCommand> parked_call(const char* operation, Call call, bool on_device) {
    return std::make_unique<ParkedCall<Call>>(operation, std::move(call), on_device);
}

/// Waits for `event`: at once where it is done or the backend can, else run() says `waiting`.
class WaitCommand final : public ParkedCommand {
public:
    explicit WaitCommand(std::shared_ptr<EventState> event) noexcept
        : ParkedCommand("Queue::wait_for"), event_(std::move(event)) {}
    Step run(QueueState& queue) override;

private:
    std::shared_ptr<EventState> event_;
};

/// Waits until those who used a block before are done, well or not: their failure is none of this queue's.
class PassCommand final : public ParkedCommand {
public:
    PassCommand(MemoryUse use, std::shared_ptr<EventState> event) noexcept
        : ParkedCommand("Queue::wait_for"), use_(std::move(use)), event_(std::move(event)) {}
    Step run(QueueState& queue) override;

private:
    MemoryUse use_;
    std::shared_ptr<EventState> event_;
};

class RecordCommand final : public ParkedCommand {
public:
    explicit RecordCommand(std::shared_ptr<EventState> event) noexcept
        : ParkedCommand("Queue::record"), event_(std::move(event)) {}
    Step run(QueueState& queue) override;
    void drop(const std::exception_ptr& failure) noexcept override { event_->fail(failure); }

private:
    std::shared_ptr<EventState> event_;
};

} // namespace devq::detail
