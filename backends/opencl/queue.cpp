#include "queue.hpp"
#include "check.hpp"
#include "event.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include <cstring>
#include <tuple>

namespace devq::opencl {

namespace {

// A write of up to so many bytes is copied and does not wait for what is queued before it, as long as the copies that
// are under way stay below a bound.
constexpr std::size_t staged_write_bytes = std::size_t{256} << 10;
constexpr std::size_t staged_total_bytes = std::size_t{16} << 20;

const cl_mem& handle_of(const std::shared_ptr<backend::Memory>& memory) {
    return static_cast<const Memory&>(*memory).handle();
}

Error lost_error() {
    return Error(ErrorCode::device_lost, {}, "the device was lost", "Start the process again, or use another device.");
}

} // namespace

Queue::Queue(std::shared_ptr<Context> context) : context_(std::move(context)), log_(std::make_shared<CommandLog>()) {
    if (context_->lost)
        throw lost_error();
    queue_ = translated(
        [&] { return cl::CommandQueue(context_->context, context_->device, cl::QueueProperties::Profiling); });
}

Queue::Queue(std::shared_ptr<Context> context, cl_command_queue queue)
    : context_(std::move(context)), log_(std::make_shared<CommandLog>()) {
    if (context_->lost)
        throw lost_error();
    cl_context its_context = nullptr;
    cl_device_id its_device = nullptr;
    cl_command_queue_properties properties = 0;
    for (const auto& [what, size, value] :
         {std::tuple<cl_command_queue_info, std::size_t, void*>{CL_QUEUE_CONTEXT, sizeof its_context, &its_context},
          {CL_QUEUE_DEVICE, sizeof its_device, &its_device},
          {CL_QUEUE_PROPERTIES, sizeof properties, &properties}})
        check_handle(clGetCommandQueueInfo(queue, what, size, value, nullptr), "clGetCommandQueueInfo",
                     "cl_command_queue");
    context_->check_same(its_context, "queue");
    if (its_device != context_->device())
        throw Error(ErrorCode::invalid_argument, {}, "the queue is for another device of the context",
                    "Wrap that device too (opencl::wrap_device).");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        throw Error(ErrorCode::invalid_argument, {}, "the queue runs its commands out of order",
                    "Create it without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: devq's queues are in order.");
    queue_ = cl::CommandQueue(queue, true);
}

Queue::~Queue() {
    if (!process_ends()) {
        clFinish(queue_());
        try {
            log_->settle();
        } catch (const std::exception&) { // no memory to keep a failure that nobody will read
        }
    }
    forget_at_exit(queue_);
}

bool Queue::drops_commands() const {
    if (context_->lost)
        throw lost_error();
    return log_->failed();
}

void Queue::write(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, const void* source,
                  std::size_t bytes) {
    if (drops_commands())
        return;
    std::unique_ptr<std::byte[]> staging;
    if (bytes <= staged_write_bytes && log_->staged_bytes() + bytes <= staged_total_bytes) {
        staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
        std::memcpy(staging.get(), source, bytes);
    }
    cl_event event = nullptr;
    check(clEnqueueWriteBuffer(queue_(), handle_of(destination), CL_FALSE, offset, bytes,
                               staging ? staging.get() : source, 0, nullptr, &event),
          "clEnqueueWriteBuffer");
    if (staging) {
        log_->add(event, std::move(staging), bytes);
        return;
    }
    const cl::Event kept(event, true);
    log_->add(event);
    clWaitForEvents(1, &event); // a failure of the command is the log's to tell
}

void Queue::read(void* destination, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
                 std::size_t bytes) {
    if (drops_commands())
        return;
    cl_event event = nullptr;
    check(clEnqueueReadBuffer(queue_(), handle_of(source), CL_FALSE, offset, bytes, destination, 0, nullptr, &event),
          "clEnqueueReadBuffer");
    log_->add(event);
}

void Queue::copy(const std::shared_ptr<backend::Memory>& destination, std::size_t destination_offset,
                 const std::shared_ptr<backend::Memory>& source, std::size_t source_offset, std::size_t bytes) {
    if (drops_commands())
        return;
    cl_event event = nullptr;
    check(clEnqueueCopyBuffer(queue_(), handle_of(source), handle_of(destination), source_offset, destination_offset,
                              bytes, 0, nullptr, &event),
          "clEnqueueCopyBuffer");
    log_->add(event);
}

void Queue::fill(const std::shared_ptr<backend::Memory>& destination, std::size_t offset, std::size_t bytes,
                 const void* pattern, std::size_t pattern_size) {
    if (drops_commands())
        return;
    cl_event event = nullptr;
    check(
        clEnqueueFillBuffer(queue_(), handle_of(destination), pattern, pattern_size, offset, bytes, 0, nullptr, &event),
        "clEnqueueFillBuffer");
    log_->add(event);
}

void Queue::launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                   std::span<const backend::Argument> arguments) {
    if (drops_commands())
        return;
    log_->add(static_cast<Kernel&>(*kernel).enqueue(queue_(), range, arguments));
}

std::shared_ptr<backend::Event> Queue::record() {
    if (drops_commands())
        return std::make_shared<Event>(context_, log_, log_->last_place(), queue_, cl::Event());
    cl_event marker = nullptr;
    check(clEnqueueMarkerWithWaitList(queue_(), 0, nullptr, &marker), "clEnqueueMarkerWithWaitList");
    cl::Event kept(marker, true);
    return std::make_shared<Event>(context_, log_, log_->mark(marker), queue_, std::move(kept));
}

void Queue::wait_for(const std::shared_ptr<backend::Event>& event) {
    if (drops_commands())
        return;
    const auto awaited = std::static_pointer_cast<Event>(event);
    if (!awaited->handle()) { // recorded behind a failure
        if (const auto cause = awaited->failure())
            log_->fail(*cause);
        return;
    }
    awaited->flush();
    cl_event barrier = nullptr;
    check(clEnqueueBarrierWithWaitList(queue_(), 1, &awaited->handle(), &barrier), "clEnqueueBarrierWithWaitList");
    log_->add(barrier, nullptr, 0, awaited);
}

void Queue::flush() { check(clFlush(queue_()), "clFlush"); }

void Queue::wait() {
    const std::uint64_t last = log_->last();
    const cl_int status = clFinish(queue_());
    if (status == CL_SUCCESS)
        log_->finish(last);
    else
        log_->settle();
    if (status != CL_SUCCESS)
        log_->fail(error_from(status, "clFinish"));
    const std::shared_ptr<const Error> failure = log_->take_failure();
    if (!failure) {
        if (context_->lost)
            throw lost_error();
        return;
    }
    // Drivers tell of a lost device in many ways: it is one when even an empty command fails now.
    if (clEnqueueBarrierWithWaitList(queue_(), 0, nullptr, nullptr) != CL_SUCCESS || clFinish(queue_()) != CL_SUCCESS) {
        context_->lost = true;
        throw Error(ErrorCode::device_lost, {}, std::string("the device was lost: ") + failure->what(),
                    "Start the process again; when a kernel caused it, look for accesses outside of its buffers.",
                    failure->native_call(), failure->native_code());
    }
    throw Error(*failure);
}

} // namespace devq::opencl
