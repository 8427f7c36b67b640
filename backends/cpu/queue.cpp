#include "queue.hpp"
#include "isa.hpp"
#include <cassert>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace devq::cpu {

namespace {

constexpr std::uint64_t linger_ns = 20'000; // a thread stays with an empty queue: the next command is often near
constexpr std::uint64_t turn_ns = 500'000;  // after this long other queues come first
constexpr std::uint64_t wait_spin_ns = 10'000;
constexpr std::size_t staged_bytes = 1 << 20;  // a larger write is copied from where it lies, while the caller waits
constexpr std::size_t shared_bytes = 2 << 20;  // copies from here on are spread over threads ...
constexpr std::size_t chunk_bytes = 512 << 10; // ... in parts of this size

std::byte* address(const std::shared_ptr<backend::Memory>& memory, std::size_t offset) {
    return static_cast<std::byte*>(memory->host_address()) + offset;
}

/// Runs body(offset, bytes) over all parts of `bytes`.
template <class Body>
void in_parts(std::size_t bytes, ThreadPool& pool, Worker& worker, Body body) {
    if (bytes < shared_bytes)
        return body(0, bytes);
    auto part = [&](std::uint64_t first, std::uint64_t last) { body(first, last - first); };
    run_parallel(bytes, chunk_bytes, pool, worker, part);
}

/// `bytes` is a multiple of `size`, a power of two up to 16.
void fill_with(std::byte* destination, std::size_t bytes, const std::byte* pattern, std::size_t size) {
    if (size == 1) {
        std::memset(destination, std::to_integer<int>(*pattern), bytes);
        return;
    }
    alignas(64) std::byte block[256];
    for (std::size_t i = 0; i < sizeof block; i += size)
        std::memcpy(block + i, pattern, size);
    for (; bytes >= sizeof block; bytes -= sizeof block, destination += sizeof block)
        std::memcpy(destination, block, sizeof block);
    std::memcpy(destination, block, bytes);
}

} // namespace

Command& QueueCore::next() noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity)
        wait_passed(tail - capacity / 2); // not just one: that would stop at every command
    return ring_[tail % capacity];
}

std::uint64_t QueueCore::submit() noexcept {
    const std::uint64_t number = tail_.load(std::memory_order_relaxed) + 1;
    // Before the looks at what follows: drain() does it the other way round.
    tail_.store(number, std::memory_order_seq_cst);
    if (!claimed_.load(std::memory_order_seq_cst) && lingering_.load(std::memory_order_seq_cst) == 0 && claim())
        pool_.schedule(shared_from_this());
    return number;
}

bool QueueCore::claim() noexcept {
    return !claimed_.load(std::memory_order_relaxed) && !claimed_.exchange(true, std::memory_order_seq_cst);
}

void QueueCore::wait_passed(std::uint64_t number) noexcept {
    if (has_passed(number))
        return;
    // Before the look at closed_: close() does it the other way round, when all is passed.
    guests_.fetch_add(1, std::memory_order_seq_cst);
    if (!closed_.load(std::memory_order_seq_cst)) {
        const ThreadPool::Caller caller(pool_);
        help(number);
        sleep_until(number);
    }
    guests_.fetch_sub(1, std::memory_order_seq_cst);
}

void QueueCore::help(std::uint64_t number) noexcept {
    const bool able = has_stack_for_kernels();
    std::unique_ptr<Worker> worker;
    if (able && (!claimed_.load(std::memory_order_relaxed) || pool_.listed(*this))) {
        worker = pool_.borrow();
        if (worker && (claim() || pool_.unschedule(*this))) {
            const FloatState state; // the caller's thread may have denormals switched off
            drain(*worker, number);
        }
    }
    std::optional<ThreadPool::StandingBy> standing_by;
    if (able)
        standing_by.emplace(bystanders_);
    for (;;) {
        spin_for(wait_spin_ns,
                 [&] { return has_passed(number) || (able && bystanders_.wanted()) || !pool_.callers_may_spin(); });
        if (!able || has_passed(number) || !bystanders_.wanted())
            break;
        if (!worker)
            worker = pool_.borrow();
        if (!worker)
            break;
        Job* job = pool_.enter(bystanders_);
        if (job == nullptr)
            continue;
        if (!has_passed(number)) { // else it is a later command's: none of ours
            const FloatState state;
            job->work(*worker);
        }
        pool_.leave(*job);
    }
    if (worker)
        pool_.give_back(std::move(worker));
}

void QueueCore::sleep_until(std::uint64_t number) noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (number < awaited_.load(std::memory_order_relaxed))
            awaited_.store(number, std::memory_order_seq_cst); // before the look at head_; pass(): the reverse
        if (has_passed(number))
            return;
        ++sleepers_;
        pool_.go();
        passed_.wait(lock, [this, before = wakes_] { return wakes_ != before; }); // pass() has it come again
    }
}

void QueueCore::close() noexcept {
    closed_.store(true, std::memory_order_seq_cst);
    while (guests_.load(std::memory_order_seq_cst) != 0)
        std::this_thread::yield(); // one that waits for an event of this queue is about to see that it is done
}

void QueueCore::pass(std::uint64_t number) noexcept {
    head_.store(number, std::memory_order_seq_cst);
    if (number < awaited_.load(std::memory_order_seq_cst))
        return;
    const std::lock_guard lock(mutex_);
    awaited_.store(nobody, std::memory_order_relaxed); // those that wait for more say so again
    ++wakes_;
    pool_.come(std::exchange(sleepers_, 0)); // now, so that a thread that spins makes room
    passed_.notify_all();
}

void QueueCore::run(Worker& worker) noexcept { drain(worker, nobody); }

void QueueCore::resume(std::shared_ptr<QueueCore> queue) noexcept {
    ThreadPool& pool = queue->pool_;
    pool.schedule(std::move(queue));
}

void QueueCore::drain(Worker& worker, std::uint64_t until) noexcept {
    const bool of_the_pool = until == nobody;
    worker.bystanders = &bystanders_;
    const std::uint64_t start = now_ns();
    const auto more = [this] { return tail_.load(std::memory_order_seq_cst) != head_.load(std::memory_order_relaxed); };
    for (;;) {
        for (std::uint64_t head = head_.load(std::memory_order_relaxed); head < until && more();) {
            if (execute(ring_[head % capacity], worker) == Passed::stands_still)
                return; // another thread may be going on with it already
            pass(++head);
            if (of_the_pool && pool_.wanted() && more() && now_ns() - start > turn_ns)
                return pool_.schedule(shared_from_this()); // other queues have their turn
        }
        if (!of_the_pool && more())
            return pool_.schedule(shared_from_this());
        bool claimed = false;
        if (of_the_pool) { // stay a little; meanwhile any thread may claim the queue, this one when a command comes
            lingering_.fetch_add(1, std::memory_order_seq_cst);
            claimed_.store(false, std::memory_order_seq_cst);
            spin_for(linger_ns,
                     [&] { return (claimed = more() && claim()) || pool_.wanted() || !pool_.callers_may_spin(); });
            lingering_.fetch_sub(1, std::memory_order_seq_cst);
        } else {
            claimed_.store(false, std::memory_order_seq_cst);
        }
        if (!claimed && !(more() && claim()))
            return;
    }
}

QueueCore::Passed QueueCore::execute(Command& command, Worker& worker) noexcept {
    std::exception_ptr failure;
    if (failed_.load(std::memory_order_relaxed)) {
        const std::lock_guard lock(mutex_);
        failure = failure_; // null when wait() has just cleared it: then this command runs
    }
    if (!failure) {
        try {
            if (perform(command, worker) == Passed::stands_still)
                return Passed::stands_still;
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            failed_.store(true, std::memory_order_relaxed);
        }
    } else if (command.kind == Command::Kind::record) {
        command.event->complete(failure);
    }
    command.clear();
    return Passed::yes;
}

QueueCore::Passed QueueCore::perform(Command& command, Worker& worker) {
    switch (command.kind) {
    case Command::Kind::none:
        break;
    case Command::Kind::launch:
        run_launch(command.launch(), pool_, worker);
        break;
    case Command::Kind::move:
        in_parts(command.bytes, pool_, worker, [&](std::size_t offset, std::size_t bytes) {
            std::memcpy(static_cast<std::byte*>(command.destination) + offset,
                        static_cast<const std::byte*>(command.source) + offset, bytes);
        });
        break;
    case Command::Kind::fill:
        in_parts(command.bytes, pool_, worker, [&](std::size_t offset, std::size_t bytes) {
            fill_with(static_cast<std::byte*>(command.destination) + offset, bytes, command.payload,
                      command.pattern_bytes);
        });
        break;
    case Command::Kind::record:
        command.event->complete(nullptr);
        break;
    case Command::Kind::wait_for:
        if (!command.event->done() && command.event->resume_later(shared_from_this()))
            return Passed::stands_still;
        if (command.event->failure())
            std::rethrow_exception(command.event->failure());
        break;
    }
    return Passed::yes;
}

std::exception_ptr QueueCore::take_failure() noexcept {
    const std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_relaxed);
    return std::exchange(failure_, nullptr);
}

Queue::~Queue() {
    core_->wait_passed(core_->last_submitted());
    core_->close();
}

void Queue::write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
                  std::size_t bytes) {
    Command& command = core_->next();
    const void* from = source;
    if (bytes <= Command::inline_bytes) {
        from = std::memcpy(command.payload, source, bytes);
    } else if (bytes <= staged_bytes) {
        command.large.reset(new (std::nothrow) std::byte[bytes]);
        if (command.large)
            from = std::memcpy(command.large.get(), source, bytes);
    }
    command.kind = Command::Kind::move;
    command.memories[0] = destination;
    command.destination = address(destination, offset);
    command.source = from;
    command.bytes = bytes;
    const std::uint64_t number = core_->submit();
    if (from == source)
        core_->wait_passed(number);
}

void Queue::read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
                 std::size_t bytes) {
    Command& command = core_->next();
    command.kind = Command::Kind::move;
    command.memories[0] = source;
    command.destination = destination;
    command.source = address(source, offset);
    command.bytes = bytes;
    core_->submit();
}

void Queue::copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
                 const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) {
    Command& command = core_->next();
    command.kind = Command::Kind::move;
    command.memories[0] = destination;
    command.memories[1] = source;
    command.destination = address(destination, destination_offset);
    command.source = address(source, source_offset);
    command.bytes = bytes;
    core_->submit();
}

void Queue::fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
                 const void* pattern, std::size_t pattern_size) {
    assert(pattern_size <= 16 && bytes % pattern_size == 0);
    Command& command = core_->next();
    command.kind = Command::Kind::fill;
    command.memories[0] = destination;
    command.destination = address(destination, offset);
    command.bytes = bytes;
    command.pattern_bytes = pattern_size;
    std::memcpy(command.payload, pattern, pattern_size);
    core_->submit();
}

void Queue::launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                   std::span<const backend::Argument> arguments) {
    assert(dynamic_cast<Kernel*>(kernel.get()) != nullptr);
    Command& command = core_->next();
    try {
        command.set_launch(std::static_pointer_cast<Kernel>(kernel), range, arguments);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "", "no room for the arguments of a launch", "Free memory of the host.");
    }
    core_->submit();
}

std::shared_ptr<backend::Event> Queue::record() {
    auto event = std::make_shared<Event>(core_, core_->last_submitted() + 1);
    Command& command = core_->next();
    command.kind = Command::Kind::record;
    command.event = event;
    core_->submit();
    return event;
}

void Queue::wait_for(const std::shared_ptr<backend::Event>& event) {
    assert(dynamic_cast<Event*>(event.get()) != nullptr);
    Command& command = core_->next();
    command.kind = Command::Kind::wait_for;
    command.event = std::static_pointer_cast<Event>(event);
    core_->submit();
}

void Queue::wait() {
    core_->wait_passed(core_->last_submitted());
    if (std::exception_ptr failure = core_->take_failure())
        std::rethrow_exception(failure);
}

} // namespace devq::cpu
