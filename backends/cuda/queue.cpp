#include "queue.hpp"
#include "event.hpp"
#include "graph.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include <algorithm>
#include <cstring>
#include <utility>

namespace devq::cuda {

namespace {

/// The smallest pattern that, repeated, gives the same bytes.
std::size_t shortest_period(const unsigned char* pattern, std::size_t size) {
    std::size_t period = size;
    while (period > 1 && std::memcmp(pattern, pattern + period / 2, period / 2) == 0)
        period /= 2;
    return period;
}

template <class T>
T value_of(const unsigned char* pattern) {
    T value;
    std::memcpy(&value, pattern, sizeof value);
    return value;
}

} // namespace

Queue::Queue(std::shared_ptr<Context> context, std::shared_ptr<Vendor> vendor)
    : context_(std::move(context)), vendor_(std::move(vendor)), stream_(std::make_shared<Stream>(context_)),
      staging_(stream_) {}

Queue::Queue(std::shared_ptr<Context> context, std::shared_ptr<Vendor> vendor, abi::Stream stream)
    : context_(std::move(context)), vendor_(std::move(vendor)), stream_(std::make_shared<Stream>(context_, stream)),
      staging_(stream_) {
    context_->enter();
}

Queue::~Queue() {
    if (context_->try_enter())
        stream_->settle(stream_->last());
}

/// The next command uses it.
Memory& Queue::use(const std::shared_ptr<backend::Memory>& memory) {
    auto& block = static_cast<Memory&>(*memory);
    if (captures_)
        captured_.push_back(std::static_pointer_cast<Memory>(memory));
    else
        block.used_by(stream_);
    return block;
}

void Queue::write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
                  std::size_t bytes) {
    context_->enter();
    staging_.write(use(destination).address() + offset, source, bytes);
}

void Queue::read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
                 std::size_t bytes) {
    context_->enter();
    stream_->read(destination, use(source).address() + offset, bytes);
}

void Queue::copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
                 const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) {
    context_->enter();
    const Driver& driver = context_->driver();
    const Memory& here = use(source);
    const Memory& there = use(destination);
    const abi::DevicePointer from = here.address() + source_offset, to = there.address() + destination_offset;
    if (&here.context() == &there.context())
        context_->check(driver.copy_within(to, from, bytes, stream_->handle()), "cuMemcpyDtoDAsync");
    else
        context_->check(
            driver.copy_between(to, there.context().handle(), from, here.context().handle(), bytes, stream_->handle()),
            "cuMemcpyPeerAsync");
    stream_->submitted();
}

void Queue::fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
                 const void* pattern, std::size_t pattern_size) {
    context_->enter();
    const Driver& driver = context_->driver();
    const abi::DevicePointer to = use(destination).address() + offset;
    const auto* given = static_cast<const unsigned char*>(pattern);
    const std::size_t period = shortest_period(given, pattern_size);
    const abi::Stream stream = stream_->handle();
    if (period == 1)
        context_->check(driver.set_bytes(to, given[0], bytes, stream), "cuMemsetD8Async");
    else if (period == 2)
        context_->check(driver.set_shorts(to, value_of<unsigned short>(given), bytes / 2, stream), "cuMemsetD16Async");
    else if (period == 4)
        context_->check(driver.set_words(to, value_of<unsigned>(given), bytes / 4, stream), "cuMemsetD32Async");
    else if (captures_)
        throw Error(ErrorCode::unsupported, {}, "a graph cannot hold a fill with a pattern of 8 or 16 bytes",
                    "Give the command each time.");
    else if (bytes > 0) { // what is there already is copied behind itself
        staging_.write(to, given, period);
        for (std::size_t done = period; done < bytes;) {
            const std::size_t part = std::min(done, bytes - done);
            context_->check(driver.copy_within(to + done, to, part, stream), "cuMemcpyDtoDAsync");
            done += part;
        }
    }
    use(destination); // the write above had a number of its own
    stream_->submitted();
}

void Queue::launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                   std::span<const backend::Argument> arguments) {
    context_->enter();
    for (const backend::Argument& argument : arguments)
        if (argument.kind == backend::Argument::Kind::buffer && argument.memory)
            use(argument.memory);
    static_cast<Kernel&>(*kernel).launch(stream_->handle(), range, arguments);
    stream_->submitted();
}

void Queue::matmul(const backend::MatmulDescription& description, const backend::MatmulOperands& operands) {
    context_->enter();
    if (description.places != 0)
        return multiply_list(description, operands);
    vendor_->matmul().run(stream_->handle(), description,
                          {use(operands.a), use(operands.b), use(operands.out), use(operands.c), use(operands.bias),
                           use(operands.workspace), operands.alpha, operands.beta});
    stream_->submitted();
}

void Queue::multiply_list(const backend::MatmulDescription& description, const backend::MatmulOperands& operands) {
    AddressedMatmul& engine = vendor_->addressed();
    std::vector<abi::DevicePointer> addresses;
    for (const auto* list : {&operands.as, &operands.bs, &operands.outs})
        for (const backend::Place& place : *list)
            addresses.push_back(use(place));
    const abi::DevicePointer workspace = use(operands.workspace);
    staging_.write(workspace, addresses.data(), AddressedMatmul::list_bytes(description));
    for (const auto* list : {&operands.as, &operands.bs, &operands.outs}) // the write had a number of its own
        for (const backend::Place& place : *list)
            use(place);
    use(operands.workspace);
    engine.run(stream_->handle(), description, workspace, operands.alpha, operands.beta);
    stream_->submitted();
}

void Queue::convolve(const backend::ConvolutionDescription& description, const backend::ConvolutionOperands& operands) {
    context_->enter();
    vendor_->convolution().run(
        stream_->handle(), description,
        {use(operands.image), use(operands.filter), use(operands.result), use(operands.workspace)});
    stream_->submitted();
}

std::shared_ptr<backend::Event> Queue::record() {
    context_->enter();
    return std::make_shared<Event>(context_, stream_);
}

void Queue::wait_for(const std::shared_ptr<backend::Event>& event) {
    context_->enter();
    context_->check(context_->driver().stream_wait(stream_->handle(), static_cast<const Event&>(*event).handle(), 0),
                    "cuStreamWaitEvent");
    stream_->submitted();
}

std::shared_ptr<backend::Sequence> Queue::capture(const std::function<void()>& commands) {
    context_->enter();
    const Driver& driver = context_->driver();
    auto other = std::make_shared<Stream>(context_); // others may be using the queue's own
    context_->check(driver.capture_begin(other->handle(), abi::capture_relaxed), "cuStreamBeginCapture");
    std::exception_ptr refused;
    stream_.swap(other);
    captures_ = true;
    try {
        commands();
    } catch (...) {
        refused = std::current_exception();
    }
    captures_ = false;
    stream_.swap(other);
    auto memories = std::exchange(captured_, {});
    abi::Graph graph = nullptr;
    const abi::Result result = driver.capture_end(other->handle(), &graph);
    if (refused) {
        context_->note(result, "cuStreamEndCapture");
        if (graph != nullptr)
            context_->note(driver.graph_destroy(graph), "cuGraphDestroy");
        std::rethrow_exception(refused);
    }
    context_->check(result, "cuStreamEndCapture");
    return std::make_shared<Graph>(context_, graph, std::move(memories));
}

void Queue::replay(const std::shared_ptr<backend::Sequence>& sequence) {
    context_->enter();
    static_cast<Graph&>(*sequence).launch(stream_);
}

void Queue::wait() {
    context_->enter();
    stream_->wait();
}

} // namespace devq::cuda
