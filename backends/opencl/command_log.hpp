#pragma once
/// What one queue has submitted and not yet seen the end of. OpenCL tells an asynchronous failure only by the event of
/// the very command, so each one's event stays here until it has ended well.

#include "context.hpp"
#include <cstdint>
#include <devq/error.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace devq::opencl {

class Event;

/// Thread-safe. Commands are numbered from 1 in the order of submission.
class CommandLog {
    /// From one failure that was taken to the next: the failure lives as long as an event may ask for it.
    struct Span {
        std::uint64_t first = 0; ///< the command that failed; those behind it are spoiled
        std::shared_ptr<const Error> error;
    };

public:
    /// A command, and where its failure will stand.
    struct Place {
        std::uint64_t number = 0;
        std::shared_ptr<const Span> span;
    };

    CommandLog();
    ~CommandLog();
    CommandLog(const CommandLog&) = delete;
    CommandLog& operator=(const CommandLog&) = delete;

    /// Takes over `event` and keeps `staging` until the command has ended. `awaited`: another queue's event that the
    /// command waits for; its failure is this queue's too.
    std::uint64_t add(cl_event event, std::unique_ptr<std::byte[]> staging = nullptr, std::size_t staged = 0,
                      std::shared_ptr<Event> awaited = nullptr);
    /// The same for a command that somebody will ask about.
    Place mark(cl_event event);
    /// Of the youngest command.
    Place last_place() const;

    /// Looks at commands from the oldest on, as far as they have ended.
    void settle();
    /// Settles the commands up to `number`, which have ended, though some drivers' events learn of it late.
    void finish(std::uint64_t number);
    /// A failure outside of any one command, at the place of the youngest.
    void fail(const Error& error);
    /// Settles, then tells the failure that the command ran behind, if any. It stays known after take_failure().
    std::shared_ptr<const Error> failure_before(const Place& place);
    /// The failure not yet taken, if any; from then on new commands are good again.
    std::shared_ptr<const Error> take_failure();

    bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
    std::uint64_t last() const;
    std::size_t staged_bytes() const noexcept { return staged_.load(std::memory_order_relaxed); }

private:
    struct Command {
        cl_event event = nullptr;
        std::unique_ptr<std::byte[]> staging;
        std::size_t staged = 0;
        std::shared_ptr<Event> awaited;
    };

    std::uint64_t add_locked(std::unique_lock<std::mutex>& lock, Command command);
    void grow() noexcept;
    void settle_locked(std::unique_lock<std::mutex>& lock, std::uint64_t limit);
    void fail_locked(std::uint64_t number, std::shared_ptr<const Error> error);
    void spoil_from(std::uint64_t number, std::shared_ptr<const Error> error);
    Command& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }

    mutable std::mutex mutex_;
    std::vector<Command> ring_; ///< a power of two; commands oldest_ ... last_
    std::uint64_t oldest_ = 1, last_ = 0;
    std::uint64_t told_ = 0;     ///< up to here failures were taken
    std::shared_ptr<Span> span_; ///< of the commands behind told_
    std::atomic<bool> failed_{false};
    std::atomic<std::size_t> staged_{0};
};

} // namespace devq::opencl
