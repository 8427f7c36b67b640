#pragma once
/// A queue behind its handles. Commands go straight to the backend's queue; once the queue waits for something that the
/// backend cannot wait for (another device's event, a copy through the host), it is *parked*: commands are kept, with
/// their values copied, and the bridge thread hands them over in order when the time has come.

#include "state.hpp"
#include <deque>
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

    const char* const operation;
};

/// A command that is one call to the backend's queue.
template <class Call>
class ParkedCall final : public ParkedCommand {
public:
    ParkedCall(const char* operation, Call call) : ParkedCommand(operation), call_(std::move(call)) {}
    Step run(QueueState& queue) override;

private:
    Call call_;
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
    std::shared_ptr<backend::Memory> workspace; ///< of vendors' libraries, which use it one after another
    std::size_t workspace_bytes = 0;

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
    /// A queue of another device for this one's copies; with the lock held.
    backend::Queue& peer(const std::shared_ptr<DeviceState>& other);

private:
    std::exception_ptr collect() noexcept;
    void drop_parked() noexcept;
    void close() noexcept;

    std::deque<std::unique_ptr<ParkedCommand>> parked_;
    bool loss_read_ = false;
    std::vector<std::pair<std::shared_ptr<DeviceState>, std::unique_ptr<backend::Queue>>> peers_;
};

template <class Call>
ParkedCommand::Step ParkedCall<Call>::run(QueueState& queue) {
    call_(*queue.native);
    return Step::done;
}

template <class Call>
std::unique_ptr<ParkedCommand> parked_call(const char* operation, Call call) {
    return std::make_unique<ParkedCall<Call>>(operation, std::move(call));
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
