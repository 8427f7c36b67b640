#pragma once
/// A queue: a ring of commands that the caller fills and one thread at a time empties, off the caller's thread.

#include "backend.hpp"
#include "event.hpp"
#include "kernel.hpp"
#include "thread_pool.hpp"
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

namespace devq::cpu {

/// A command in the ring. Small arguments lie in it; nothing is allocated for an ordinary launch.
struct alignas(64) Command {
    enum class Kind { none, launch, move, fill, record, wait_for };
    static constexpr std::size_t inline_bytes = 832;

    alignas(64) std::byte payload[inline_bytes]; // launch: parameters and values; host copies: the bytes; fill: pattern
    Kind kind = Kind::none;
    std::size_t parameter_count = 0;    // launch
    std::size_t total_local_bytes = 0;  // launch
    std::size_t memory_count = 0;       // launch: shares at the start of the block
    backend::LaunchRange range;         // launch
    std::shared_ptr<Kernel> kernel;     // launch
    std::shared_ptr<Event> event;       // record, wait_for
    std::unique_ptr<std::byte[]> large; // what did not fit the payload
    void* destination = nullptr;        // copies and fills
    const void* source = nullptr;
    std::size_t bytes = 0, pattern_bytes = 0;
    std::shared_ptr<backend::Memory> memories[2]; // copies and fills: what must live on

    /// Binds a launch. Throws std::bad_alloc, and is empty then.
    void set_launch(std::shared_ptr<Kernel> launched, const backend::LaunchRange& over,
                    std::span<const backend::Argument> arguments);
    /// Back to none; gives up every share.
    void clear() noexcept;
    Launch launch() noexcept;

private:
    /// Where the parts of a launch lie in its block.
    struct Layout;
    std::byte* block() noexcept;
};

/// What outlives the Queue object for as long as a thread still looks at it. One thread submits at a time.
class QueueCore final : public Runnable, public std::enable_shared_from_this<QueueCore> {
public:
    static constexpr std::uint64_t capacity = 256;

    explicit QueueCore(ThreadPool& pool) : pool_(pool), ring_(new Command[capacity]) {}

    /// The next free command; waits while the ring is full.
    Command& next() noexcept;
    /// Hands the command from next() over. Returns its number, to be waited for.
    std::uint64_t submit() noexcept;
    /// Blocks until command number `number` has been passed; runs commands itself where no thread has begun to.
    void wait_passed(std::uint64_t number) noexcept;
    /// When all is passed: from here on nobody looks at the pool, which may go.
    void close() noexcept;
    std::uint64_t last_submitted() const noexcept { return tail_.load(std::memory_order_acquire); }
    /// The failure, which is forgotten here.
    std::exception_ptr take_failure() noexcept;

    void run(Worker& worker) noexcept override;
    /// Goes on with a queue that stood still at an event.
    static void resume(std::shared_ptr<QueueCore> queue) noexcept;

private:
    enum class Passed { yes, stands_still };
    void drain(Worker& worker, std::uint64_t until) noexcept;
    Passed execute(Command& command, Worker& worker) noexcept;
    Passed perform(Command& command, Worker& worker);
    void pass(std::uint64_t number) noexcept;
    bool claim() noexcept;
    void help(std::uint64_t number) noexcept;
    void sleep_until(std::uint64_t number) noexcept;
    bool has_passed(std::uint64_t number) const noexcept { return head_.load(std::memory_order_seq_cst) >= number; }

    ThreadPool& pool_;
    std::unique_ptr<Command[]> ring_;
    alignas(64) std::atomic<std::uint64_t> tail_{0}; // submitted
    std::atomic<bool> claimed_{false};               // a thread runs it, or it is listed, or stands still at an event
    std::atomic<unsigned> lingering_{0};             // threads that look whether a command comes
    std::atomic<unsigned> guests_{0};                // threads of callers in wait_passed()
    std::atomic<bool> closed_{false};
    alignas(64) std::atomic<std::uint64_t> head_{0}; // passed
    std::atomic<std::uint64_t> awaited_{nobody};     // the lowest number that a sleeping thread waits for
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    Bystanders bystanders_;
    std::mutex mutex_;
    std::condition_variable passed_;
    unsigned sleepers_ = 0;           // callers asleep; guarded by mutex_
    std::uint64_t wakes_ = 0;         // guarded by mutex_
    std::exception_ptr failure_;      // guarded by mutex_
    std::atomic<bool> failed_{false}; // failure_ is set
};

class Queue final : public backend::Queue {
public:
    explicit Queue(std::shared_ptr<ThreadPool> pool)
        : pool_(std::move(pool)), core_(std::make_shared<QueueCore>(*pool_)) {}
    ~Queue() override;
    void write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
               std::size_t bytes) override;
    void read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
              std::size_t bytes) override;
    void copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
              const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) override;
    void fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
              const void* pattern, std::size_t pattern_size) override;
    void launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                std::span<const backend::Argument> arguments) override;
    std::shared_ptr<backend::Event> record() override;
    void wait_for(const std::shared_ptr<backend::Event>& event) override;
    void flush() override {} // commands begin as soon as they are submitted
    void wait() override;

private:
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<QueueCore> core_;
};

} // namespace devq::cpu
