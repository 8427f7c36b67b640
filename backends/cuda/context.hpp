#pragma once
/// What everything of one opened device shares.

#include "check.hpp"
#include "clock.hpp"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace devq::cuda {

/// True once the process has begun to end. From then on the driver may be half gone, so nothing calls it: what is left
/// is for the system to clear. Set by a handler that the backend registers when the driver is loaded.
bool process_ends() noexcept;
void watch_process_end();

/// The device's primary context, which other users of CUDA in the process share: it is never reset.
class Context {
public:
    /// Throws what the driver says.
    Context(std::shared_ptr<const Driver> driver, abi::DeviceNumber device);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const Driver& driver() const noexcept { return *driver_; }
    abi::DeviceNumber device() const noexcept { return device_; }
    abi::Context handle() const noexcept { return context_; }
    Clock& clock() noexcept { return clock_; }

    /// Makes the context the calling thread's own: first thing in whatever calls the driver. Throws once the device is
    /// lost.
    void enter();
    /// The same for destructors: false where nothing may be called any more.
    bool try_enter() noexcept;
    /// Throws on failure. The device is lost by the first sticky one, which all later calls throw again.
    void check(abi::Result result, const char* call) {
        if (result != abi::success) [[unlikely]]
            fail(result, call, {});
    }
    [[noreturn]] void fail(abi::Result result, const char* call, std::string_view problem);
    /// For results that nobody can be told of now: only remembers a loss.
    void note(abi::Result result, const char* call) noexcept;
    /// Throws the loss that the driver now has to tell of. For failures of libraries, which say nothing of it. The
    /// context is current.
    void check_alive();
    bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }
    /// Lets the device reach into `other`'s memory by itself, where the machine allows it; else the driver copies
    /// through the host. Each pair is asked for once.
    void meet(Context& other);

private:
    [[noreturn]] void throw_loss() const;

    std::shared_ptr<const Driver> driver_;
    abi::DeviceNumber device_;
    abi::Context context_ = nullptr;
    std::atomic<bool> lost_{false}; ///< never cleared
    mutable std::mutex mutex_;
    std::shared_ptr<const Error> first_loss_;
    std::vector<abi::Context> met_;
    Clock clock_;
};

} // namespace devq::cuda
