#include "memory.hpp"

namespace devq::cuda {

Memory::Memory(std::shared_ptr<Context> context, std::size_t bytes) : context_(std::move(context)) {
    context_->enter();
    const Driver& driver = context_->driver();
    const abi::Result result = driver.memory_alloc(&address_, bytes);
    if (result == abi::success)
        return;
    std::string problem;
    if (result == abi::out_of_memory) {
        std::size_t free = 0, total = 0;
        problem = "no " + std::to_string(bytes) + " bytes of device memory";
        if (driver.memory_info(&free, &total) == abi::success)
            problem += " (" + std::to_string(free) + " of " + std::to_string(total) + " are free)";
    }
    context_->fail(result, "cuMemAlloc", problem);
}

Memory::~Memory() {
    if (whole_)
        return;
    if (!context_->try_enter()) // after the loss of the device the driver frees nothing any more
        return;
    for (const Use& use : uses_)
        use.stream->settle(use.number);
    if (owned_ && context_->try_enter())
        context_->note(context_->driver().memory_free(address_), "cuMemFree");
}

void Memory::used_by(const std::shared_ptr<Stream>& stream) {
    if (whole_)
        return whole_->used_by(stream);
    const std::lock_guard lock(mutex_);
    for (Use& use : uses_)
        if (use.stream == stream) {
            use.number = stream->next();
            return;
        }
    // Streams whose commands are done need not be kept.
    std::erase_if(uses_, [](const Use& use) { return use.stream->passed(use.number); });
    uses_.push_back({stream, stream->next()});
}

} // namespace devq::cuda
