#pragma once
#include "context.hpp"
#include "read_back.hpp"
#include <cstdint>

namespace devq::cuda {

/// A CUstream, and how far it has come: commands are numbered from 1 in the order of submission.
class Stream {
public:
    explicit Stream(std::shared_ptr<Context> context) : context_(std::move(context)) {
        context_->enter();
        context_->check(context_->driver().stream_create(&handle_, abi::stream_non_blocking), "cuStreamCreate");
    }
    /// Somebody else's; null is the default stream.
    Stream(std::shared_ptr<Context> context, abi::Stream handle)
        : context_(std::move(context)), handle_(handle), owned_(false) {}
    ~Stream() {
        if (!context_->try_enter())
            return;
        read_back_.close(*context_);
        if (owned_)
            context_->note(context_->driver().stream_destroy(handle_), "cuStreamDestroy");
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    abi::Stream handle() const noexcept { return handle_; }
    Context& context() const noexcept { return *context_; }

    /// The number that the next command to be submitted has. Only the queue's own thread submits.
    std::uint64_t next() const noexcept { return submitted_.load(std::memory_order_relaxed) + 1; }
    void submitted() noexcept { submitted_.fetch_add(1, std::memory_order_release); }
    std::uint64_t last() const noexcept { return submitted_.load(std::memory_order_acquire); }
    bool passed(std::uint64_t number) const noexcept { return passed_.load(std::memory_order_acquire) >= number; }
    /// Called by whoever has seen command `number` done. What was read is where it belongs then.
    void pass(std::uint64_t number) noexcept {
        if (passed(number))
            return;
        read_back_.finish(number);
        std::uint64_t before = passed_.load(std::memory_order_relaxed);
        while (before < number && !passed_.compare_exchange_weak(before, number, std::memory_order_release)) {
        }
    }

    /// Blocks until all that has been submitted is done. The context is current.
    void wait() {
        const std::uint64_t number = last();
        context_->check(context_->driver().stream_synchronize(handle_), "cuStreamSynchronize");
        pass(number);
    }
    /// The same for destructors; the stream's context is current then.
    void settle(std::uint64_t number) noexcept {
        if (passed(number) || !context_->try_enter())
            return;
        const abi::Result result = context_->driver().stream_synchronize(handle_);
        context_->note(result, "cuStreamSynchronize");
        if (result == abi::success)
            pass(number);
    }

    /// Submits a read, which is a command of its own. The context is current.
    void read(void* destination, abi::DevicePointer source, std::size_t bytes) {
        read_back_.read(*context_, handle_, next(), destination, source, bytes);
        submitted();
    }

private:
    std::shared_ptr<Context> context_;
    ReadBack read_back_;
    abi::Stream handle_ = nullptr;
    bool owned_ = true;
    std::atomic<std::uint64_t> submitted_{0}, passed_{0};
};

} // namespace devq::cuda
