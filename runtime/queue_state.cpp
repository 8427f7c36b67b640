#include "queue_state.hpp"
#include "bridge.hpp"
#include "memory_pool.hpp"
#include "recording.hpp"
#include <chrono>
#include <cstdio>
#include <thread>

namespace devq::detail {

namespace {

void report_unread(const DeviceState& device, const std::exception_ptr& failure) noexcept {
    try {
        std::string text;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            text = error.what();
        } catch (...) {
            text = "unknown failure";
        }
        for (char& c : text)
            c = c == '\n' ? ' ' : c;
        std::fprintf(stderr, "devq: %s: a queue ended with a failure that nobody had read: %s\n",
                     device.info.id.c_str(), text.c_str());
    } catch (...) {
        std::fputs("devq: a queue ended with a failure that nobody had read\n", stderr);
    }
}

/// An event behind all that the queue's driver has been given; the queue's lock is held.
std::shared_ptr<EventState> native_event(QueueState& queue) {
    auto event = std::make_shared<EventState>();
    event->device = queue.device;
    event->native = queue.native->record();
    queue.native->flush();
    return event;
}

/// Null where nothing is left to wait for.
std::shared_ptr<EventState> event_behind(const MemoryUse& use) {
    const std::shared_ptr<QueueState> queue = use.queue->queue.lock();
    if (!queue)
        return nullptr;
    const std::lock_guard lock(queue->mutex);
    if (!queue->native || use.passed() || queue->device->loss())
        return nullptr;
    return queue->failure ? native_event(*queue) : queue->record();
}

} // namespace

void FormerUsers::look(const QueueState& queue, const backend::Memory* memory) {
    if (!memory || !memory->pool_block || !memory->pool_block->has_former_users(*queue.progress)) [[likely]]
        return;
    for (const MemoryUse& use : memory->pool_block->former)
        if (use.queue != queue.progress && !use.passed())
            if (auto event = event_behind(use))
                entries_.push_back({memory->pool_block, use, std::move(event)});
}

void wait_for_former(const std::vector<MemoryUse>& former) noexcept {
    for (const MemoryUse& use : former)
        try {
            if (const auto event = use.passed() ? nullptr : event_behind(use))
                wait_for(*event);
        } catch (...) {
            // That it is over is all that matters here; who asked for the work is told by the queue.
        }
}

void QueueState::wait_for_former(const FormerUsers& others) {
    for (const auto& [block, use, event] : others.entries_) {
        if (!block->has_former_users(*progress))
            continue; // another thread has just been here
        auto command = std::make_unique<PassCommand>(use, event);
        if (is_parked() || command->run(*this) == ParkedCommand::Step::waiting)
            park(std::move(command));
    }
}

std::shared_ptr<QueueState> QueueState::create(const std::shared_ptr<DeviceState>& device) {
    return create(device,
                  call_backend(*device, "Device::create_queue", [&] { return device->device->create_queue(); }));
}

std::shared_ptr<QueueState> QueueState::create(const std::shared_ptr<DeviceState>& device,
                                               std::unique_ptr<backend::Queue> native) {
    auto queue = std::make_shared<QueueState>();
    queue->device = device;
    queue->native = std::move(native);
    queue->progress->queue = queue;
    // The bridge shares in `queue` while it is parked; the handle's end is what waits and reports.
    QueueState* const raw = queue.get();
    return {raw, [queue](QueueState*) mutable noexcept {
                queue->close();
                queue.reset();
            }};
}

void QueueState::park(std::unique_ptr<ParkedCommand> command) {
    if (parked_.empty()) {
        bridge::start();
        bridge::Entry entry{shared_from_this()};
        parked_.push_back(std::move(command));
        bridge::add(std::move(entry));
    } else {
        parked_.push_back(std::move(command));
    }
}

void QueueState::drop_parked() noexcept {
    for (const auto& command : parked_)
        command->drop(failure);
    parked_.clear();
}

QueueState::Progress QueueState::advance() noexcept {
    const std::lock_guard lock(mutex);
    Progress progress;
    while (!parked_.empty()) {
        if (failure) {
            drop_parked();
            progress.moved = true;
            break;
        }
        ParkedCommand& command = *parked_.front();
        try {
            if (command.run(*this) == ParkedCommand::Step::waiting)
                break;
        } catch (...) {
            try {
                rethrow(*device, command.operation);
            } catch (...) {
                failure = std::current_exception();
            }
            continue;
        }
        progress.moved = true;
        if (failure) // found by the command, which is dropped with the others
            continue;
        parked_.pop_front();
    }
    progress.drained = parked_.empty();
    if (progress.moved) {
        try {
            native->flush();
        } catch (...) {
            device->note(std::current_exception());
            if (!failure)
                failure = std::current_exception();
            drop_parked(); // a queue with a failure is never parked: collect() relies on it
            progress.drained = true;
        }
    }
    return progress;
}

std::shared_ptr<EventState> QueueState::record() {
    auto event = std::make_shared<EventState>();
    event->device = device;
    event->queue = progress;
    event->number = progress->submitted.load(std::memory_order_relaxed);
    if (failure) {
        event->failure = failure;
    } else if (std::exception_ptr loss = device->loss()) {
        event->failure = loss;
    } else if (auto command = std::make_unique<RecordCommand>(event); is_parked()) {
        park(std::move(command));
    } else {
        command->run(*this);
    }
    return event;
}

/// The backend's queue is only ever cleared here, with the lock held: a read and the event behind it, queued under one
/// lock, cannot have a failure of theirs cleared between them.
std::exception_ptr QueueState::collect() noexcept {
    std::exception_ptr first;
    try {
        native->wait();
    } catch (...) {
        first = std::current_exception();
        device->note(first);
    }
    // What a parked command or an awaited event left is behind what the backend's queue held.
    const std::exception_ptr kept = std::exchange(failure, nullptr);
    return first ? first : kept;
}

std::exception_ptr QueueState::finish() noexcept {
    std::exception_ptr first;
    bool failed = false;
    try {
        std::unique_lock lock(mutex);
        std::shared_ptr<EventState> end;
        if (!failure && !device->loss())
            end = record();
        lock.unlock();
        try {
            if (end)
                wait_for(*end);
            else
                failed = true;
        } catch (...) {
            failed = true;
        }
        if (failed) { // the commands before the failure may still be running: wait for them without the lock
            lock.lock();
            std::shared_ptr<backend::Event> passed = native->record();
            native->flush();
            lock.unlock();
            passed->wait();
        }
    } catch (...) {
        // No memory for an event: look until nothing is parked; collect() waits for the backend's queue.
        failed = true;
        for (bool parked = true; parked;) {
            if (bridge::running())
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            else
                bridge::help();
            const std::lock_guard lock(mutex);
            parked = is_parked();
        }
    }
    const std::lock_guard lock(mutex);
    if (failed) {
        first = collect();
        if (!is_parked())
            progress->pass(progress->submitted.load(std::memory_order_relaxed));
    }
    if (std::exception_ptr loss = device->loss()) {
        first = loss;
        loss_read_ = true;
    }
    return first;
}

backend::Queue& QueueState::peer(const std::shared_ptr<DeviceState>& other) {
    for (const auto& [state, queue] : peers_)
        if (state == other)
            return *queue;
    auto queue = call_backend(*other, "Queue::copy", [&] { return other->device->create_queue(); });
    peers_.emplace_back(other, std::move(queue));
    return *peers_.back().second;
}

void QueueState::close() noexcept {
    if (device->forked()) { // driver objects stay with the parent: deliberately not destroyed in this process
        static_cast<void>(native.release());
        for (auto& peer : peers_)
            static_cast<void>(peer.second.release());
        try {
            static_cast<void>(new auto(std::move(recording)));
            static_cast<void>(new auto(std::move(parked_)));
        } catch (...) {
            // No memory: the commands go, and with them what they hold.
        }
        return;
    }
    {
        std::shared_ptr<RecordingState> dropped;
        const std::lock_guard lock(mutex);
        dropped.swap(recording);
    }
    const bool told = loss_read_; // finish() sets it
    if (const std::exception_ptr unread = finish(); unread && !(told && device->loss()))
        report_unread(*device, unread);
    std::unique_ptr<backend::Queue> last;
    {
        const std::lock_guard lock(mutex); // memory's next user may be asking
        last = std::move(native);
    }
    last.reset();
    progress->pass(~std::uint64_t{0});
    peers_.clear();
}

ParkedCommand::Step WaitCommand::run(QueueState& queue) {
    std::shared_ptr<backend::Event> native;
    {
        const std::lock_guard lock(event_->mutex);
        native = event_->native;
        if (event_->failure)
            queue.failure = event_->failure;
    }
    if (queue.failure)
        return Step::done;
    if (!native)
        return Step::waiting;
    if (native->done()) {
        try {
            native->wait();
        } catch (...) {
            // The failure of the event's device is this queue's failure now, but not this device's loss.
            event_->device->note(std::current_exception());
            queue.failure = std::current_exception();
        }
        return Step::done;
    }
    if (event_->device != queue.device)
        return Step::waiting;
    queue.native->wait_for(native);
    return Step::done;
}

ParkedCommand::Step PassCommand::run(QueueState& queue) {
    std::shared_ptr<backend::Event> native;
    bool dropped = false;
    {
        const std::lock_guard lock(event_->mutex);
        native = event_->native;
        dropped = event_->failure != nullptr;
    }
    if (dropped) { // what the driver had been given before that may still be running
        const std::shared_ptr<QueueState> former = use_.queue->queue.lock();
        if (!former || use_.passed() || former->device->loss())
            return Step::done;
        const std::unique_lock lock(former->mutex, std::try_to_lock); // waiting for it could be mutual
        if (!lock)
            return Step::waiting;
        if (!former->native)
            return Step::done;
        event_ = native_event(*former);
        native = event_->native;
    }
    if (!native)
        return Step::waiting;
    if (native->done())
        return Step::done;
    if (event_->device != queue.device || !queue.device->device->fails_as_a_whole())
        return Step::waiting;
    queue.native->wait_for(native);
    return Step::done;
}

ParkedCommand::Step RecordCommand::run(QueueState& queue) {
    std::shared_ptr<backend::Event> native = queue.native->record();
    queue.native->flush(); // whoever polls the event has no queue to flush
    event_->set(std::move(native));
    return Step::done;
}

} // namespace devq::detail
