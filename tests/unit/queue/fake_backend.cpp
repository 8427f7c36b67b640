#include "fake_backend.hpp"
#include "fork.hpp"
#include <chrono>
#include <doctest/doctest.h>

namespace fake {

namespace {

Error made(ErrorCode code) { return Error(code, {}, "planned " + std::string(to_string(code)), "This is a test."); }

std::byte* data(const std::shared_ptr<backend::Memory>& memory) { return static_cast<Memory&>(*memory).data.data(); }

} // namespace

void Gate::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

void Gate::open() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    changed_.notify_all();
}

void Gate::pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !closed_; });
}

bool Event::done() {
    const std::lock_guard lock(mutex_);
    return reached_;
}

void Event::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
    if (failure_)
        std::rethrow_exception(failure_);
}

std::uint64_t Event::timestamp_ns() {
    const std::lock_guard lock(mutex_);
    return time_;
}

void Event::reach(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    reached_ = true;
    failure_ = std::move(failure);
    time_ = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    changed_.notify_all();
}

void Plan::fail_next(ErrorCode code, int after) {
    const std::lock_guard lock(mutex);
    fail_after = after;
    failure = std::make_exception_ptr(made(code));
}

void Plan::refuse_next(ErrorCode code, int after) {
    const std::lock_guard lock(mutex);
    refuse_after = after;
    refusal = std::make_exception_ptr(made(code));
}

std::vector<std::string> Plan::taken() {
    const std::lock_guard lock(mutex);
    return std::exchange(log, {});
}

Queue::Queue(std::shared_ptr<Plan> plan) : plan_(std::move(plan)), thread_([this] { run(); }) {}

Queue::~Queue() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Queue::add(std::string name, std::function<void()> work, std::shared_ptr<Event> event) {
    if (busy_.exchange(true)) // the runtime promised one thread at a time
        ++plan_->crowded;
    {
        const std::lock_guard lock(plan_->mutex);
        if (plan_->loss && name != "record") {
            busy_ = false;
            std::rethrow_exception(plan_->loss);
        }
        if (plan_->refusal && name != "record" && plan_->refuse_after-- == 0) {
            busy_ = false;
            std::rethrow_exception(std::exchange(plan_->refusal, nullptr));
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (capture_) {
            capture_->commands.push_back({std::move(name), std::move(work), std::move(event)});
            busy_ = false;
            return;
        }
        commands_.push_back({std::move(name), std::move(work), std::move(event)});
        ++added_;
        changed_.notify_all();
    }
    busy_ = false;
}

void Queue::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ends_ || !commands_.empty(); });
        if (commands_.empty())
            return;
        Command command = std::move(commands_.front());
        commands_.pop_front();
        lock.unlock();
        execute(command);
        command = {}; // gives its shares up before the queue has passed it
        lock.lock();
        ++passed_;
        changed_.notify_all();
    }
}

void Queue::execute(Command& command) {
    plan_->gate.pass();
    std::exception_ptr failure;
    {
        const std::lock_guard lock(mutex_);
        failure = failure_;
    }
    if (!failure) {
        const std::lock_guard lock(plan_->mutex);
        failure = plan_->loss;
    }
    if (command.event) {
        command.event->reach(failure);
        return;
    }
    if (failure)
        return;
    try {
        {
            const std::lock_guard lock(plan_->mutex);
            plan_->log.push_back(command.name);
            if (plan_->failure && command.name != "wait_for" && plan_->fail_after-- == 0) {
                failure = std::exchange(plan_->failure, nullptr);
                try {
                    std::rethrow_exception(failure);
                } catch (const Error& error) {
                    if (error.code() == ErrorCode::device_lost)
                        plan_->loss = failure;
                }
            }
        }
        if (!failure)
            command.work();
    } catch (...) {
        failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
}

void Queue::write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
                  std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(source);
    add("write", [destination, offset, copied = std::vector<std::byte>(first, first + bytes)] {
        std::memcpy(data(destination) + offset, copied.data(), copied.size());
    });
}

void Queue::read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
                 std::size_t bytes) {
    add("read", [=] { std::memcpy(destination, data(source) + offset, bytes); });
}

void Queue::copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
                 const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) {
    add("copy", [=] { std::memcpy(data(destination) + destination_offset, data(source) + source_offset, bytes); });
}

void Queue::fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
                 const void* pattern, std::size_t pattern_size) {
    const auto* first = static_cast<const std::byte*>(pattern);
    add("fill", [=, copied = std::vector<std::byte>(first, first + pattern_size)] {
        for (std::size_t i = 0; i < bytes; ++i)
            data(destination)[offset + i] = copied[i % pattern_size];
    });
}

void Queue::launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                   std::span<const backend::Argument> arguments) {
    Call call;
    call.range = range;
    for (const backend::Argument& argument : arguments) {
        call.memory.push_back(argument.memory);
        const auto* first = static_cast<const std::byte*>(argument.value);
        call.values.emplace_back(first, first ? first + argument.size : first);
        call.sizes.push_back(argument.size);
    }
    add("launch", [kernel, call = std::move(call)] { static_cast<Kernel&>(*kernel).body(call); });
}

std::shared_ptr<backend::Event> Queue::record() {
    auto event = std::make_shared<Event>();
    add("record", nullptr, event);
    return event;
}

void Queue::wait_for(const std::shared_ptr<backend::Event>& event) {
    add("wait_for", [event] { event->wait(); });
}

std::shared_ptr<backend::Sequence> Queue::capture(const std::function<void()>& commands) {
    {
        const std::lock_guard lock(plan_->mutex);
        if (!plan_->captures)
            return nullptr;
        ++plan_->captured;
    }
    auto sequence = std::make_shared<Sequence>();
    capture_ = sequence.get();
    try {
        commands();
    } catch (...) {
        capture_ = nullptr;
        throw;
    }
    capture_ = nullptr;
    return sequence;
}

void Queue::replay(const std::shared_ptr<backend::Sequence>& sequence) {
    {
        const std::lock_guard lock(plan_->mutex);
        ++plan_->replayed;
    }
    for (const Command& command : static_cast<Sequence&>(*sequence).commands)
        add(command.name, command.work);
}

void Queue::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&, last = added_] { return passed_ >= last; });
    if (failure_)
        std::rethrow_exception(std::exchange(failure_, nullptr));
    const std::lock_guard plan_lock(plan_->mutex);
    if (plan_->loss)
        std::rethrow_exception(plan_->loss);
}

Device::Device() {
    capabilities_.max_group = {256, 128, 64};
    capabilities_.max_group_items = 256;
    capabilities_.local_memory_bytes = 32768;
    capabilities_.max_allocation_bytes = std::uint64_t{1} << 30;
    capabilities_.max_argument_bytes = 1024;
    capabilities_.preferred_group = 64;
    capabilities_.device_class = "gpu";
}

std::shared_ptr<backend::Memory> Device::allocate(std::size_t bytes) {
    const std::lock_guard lock(plan->mutex);
    ++plan->allocations;
    if (bytes > capabilities_.max_allocation_bytes)
        throw Error(ErrorCode::invalid_argument, {}, "more than max_allocation_bytes", "This is a test.");
    const bool refused = plan->refuse_allocations > 0 && plan->refuse_allocations-- > 0;
    if (refused || bytes > plan->memory_left || bytes > plan->memory_total - plan->given)
        throw Error(ErrorCode::out_of_memory, {}, "planned out of memory", "This is a test.", "fakeAllocate", 7);
    plan->given += bytes;
    const std::shared_ptr<std::vector<std::byte>> all(new std::vector<std::byte>(bytes, std::byte{0xcd}),
                                                      [plan = plan](std::vector<std::byte>* owned) {
                                                          const std::lock_guard lock(plan->mutex);
                                                          plan->given -= owned->size();
                                                          delete owned;
                                                      });
    return std::make_shared<Memory>(all, 0, bytes, mapped);
}

std::shared_ptr<backend::Memory> Device::part(const std::shared_ptr<backend::Memory>& whole, std::size_t offset,
                                              std::size_t bytes) {
    const Memory& memory = static_cast<Memory&>(*whole);
    const auto place = static_cast<std::size_t>(memory.data.data() - memory.all()->data());
    return std::make_shared<Memory>(memory.all(), place + offset, bytes, mapped);
}

std::unique_ptr<backend::Queue> Device::create_queue() { return std::make_unique<Queue>(plan); }

std::shared_ptr<backend::Program> Device::build(const backend::ProgramSource&) { return std::make_shared<Program>(); }

Opened::Opened(std::string id, bool mapped) {
    auto made_device = std::make_shared<fake::Device>();
    made_device->mapped = mapped;
    plan = made_device->plan;
    auto state = std::make_shared<detail::DeviceState>();
    state->info.id = std::move(id);
    state->info.backend = "fake";
    state->fork_generation = detail::fork_generation();
    native = made_device;
    state->device = std::move(made_device);
    device = devq::Device(std::move(state));
}

devq::Kernel Opened::kernel(frontend::KernelSignature signature, std::function<void(const Call&)> body) const {
    auto program = std::make_shared<detail::ProgramState>();
    program->device = device.state();
    program->program = std::make_shared<Program>();
    auto state = std::make_shared<detail::KernelState>();
    state->program = std::move(program);
    state->signature = std::move(signature);
    state->kernel = std::make_shared<Kernel>(std::move(body));
    return devq::Kernel(std::move(state));
}

devq::Kernel Opened::task(std::function<void()> body) const {
    frontend::KernelSignature signature;
    signature.name = "task";
    return kernel(std::move(signature), [body = std::move(body)](const Call&) { body(); });
}

Buffer Opened::buffer(std::span<const int> values) const {
    Buffer made_buffer = device.allocate(values.size_bytes());
    std::memcpy(data(made_buffer.state()->memory), values.data(), values.size_bytes());
    return made_buffer;
}

frontend::Parameter pointer(std::string name) {
    return {std::move(name), "int*", frontend::Space::global, false, frontend::ValueKind::signed_integer, 4};
}

frontend::Parameter value(std::string name, std::string type, frontend::ValueKind kind, std::size_t size) {
    return {std::move(name), std::move(type), frontend::Space::value, false, kind, size};
}

std::vector<int> read_ints(const devq::Queue& queue, const Buffer& buffer) {
    std::vector<int> values(buffer.size() / sizeof(int));
    queue.read(std::span(values), buffer);
    return values;
}

ErrorCode code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    FAIL("an Error was expected");
    return ErrorCode::unavailable;
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    FAIL("an Error was expected");
    return {};
}

} // namespace fake
