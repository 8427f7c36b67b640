#pragma once
#include "backend.hpp"
#include "stream.hpp"

namespace devq::cuda {

/// A CUevent behind everything that its stream has been given.
class Event final : public backend::Event {
public:
    /// Records. The context is current.
    explicit Event(std::shared_ptr<Context> context, std::shared_ptr<Stream> stream);
    /// Somebody else's, recorded already; it stays his.
    Event(std::shared_ptr<Context> context, abi::Event handle) : context_(std::move(context)), handle_(handle) {}
    ~Event() override;

    bool done() override;
    void wait() override;
    std::uint64_t timestamp_ns() override;
    std::optional<backend::NativeHandle> native_handle() override {
        return reinterpret_cast<backend::NativeHandle>(handle_);
    }

    abi::Event handle() const noexcept { return handle_; }

private:
    std::shared_ptr<Context> context_;
    std::shared_ptr<Stream> stream_; ///< null: the event is somebody else's
    std::uint64_t number_ = 0;
    std::shared_ptr<const Clock::Mark> mark_;
    abi::Event handle_ = nullptr;
};

} // namespace devq::cuda
