#include "context.hpp"
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace devq::cuda {

static std::atomic<bool> ends{false};

bool process_ends() noexcept { return ends.load(std::memory_order_relaxed); }

void watch_process_end() {
    // Registered after the driver was loaded: it runs before the driver's own clean-up.
    static const int registered = std::atexit([] { ends.store(true, std::memory_order_relaxed); });
    static_cast<void>(registered);
}

Context::Context(std::shared_ptr<const Driver> driver, abi::DeviceNumber device)
    : driver_(std::move(driver)), device_(device), clock_(*this) {
    check(driver_->context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

Context::~Context() {
    clock_.close();
    if (!process_ends() && !lost())
        driver_->context_release(device_);
}

void Context::enter() {
    if (lost()) [[unlikely]]
        throw_loss();
    check(driver_->context_set(context_), "cuCtxSetCurrent");
}

bool Context::try_enter() noexcept {
    if (process_ends() || lost())
        return false;
    abi::Result result = driver_->context_set(context_);
    if (result != abi::success && !is_sticky(result)) // once more: what is not given back now stays for ever
        result = driver_->context_set(context_);
    note(result, "cuCtxSetCurrent");
    return result == abi::success;
}

void Context::meet(Context& other) {
    if (&other == this)
        return;
    {
        const std::lock_guard lock(mutex_);
        if (std::find(met_.begin(), met_.end(), other.handle()) != met_.end())
            return;
        met_.push_back(other.handle());
    }
    for (auto [from, to] : {std::pair(this, &other), std::pair(&other, this)}) {
        int can = 0;
        from->enter();
        from->check(driver_->can_access_peer(&can, from->device_, to->device_), "cuDeviceCanAccessPeer");
        if (can == 0)
            continue;
        const abi::Result result = driver_->enable_peer_access(to->context_, 0);
        from->note(result, "cuCtxEnablePeerAccess"); // already enabled, or too many: copies work all the same
    }
    enter();
}

void Context::fail(abi::Result result, const char* call, std::string_view problem) {
    note(result, call);
    if (is_sticky(result))
        throw_loss();
    throw error_from(*driver_, result, call, problem);
}

void Context::note(abi::Result result, const char* call) noexcept {
    if (result == abi::success || !is_sticky(result))
        return;
    try {
        const std::lock_guard lock(mutex_);
        if (!first_loss_)
            first_loss_ = std::make_shared<const Error>(error_from(*driver_, result, call));
    } catch (...) {
        // No memory for the cause: the loss counts all the same.
    }
    lost_.store(true, std::memory_order_release);
}

void Context::check_alive() {
    std::size_t free = 0, total = 0;
    if (const abi::Result result = driver_->memory_info(&free, &total); is_sticky(result))
        fail(result, "cuMemGetInfo", {});
}

void Context::throw_loss() const {
    const std::lock_guard lock(mutex_);
    if (first_loss_)
        throw Error(*first_loss_);
    throw Error(ErrorCode::device_lost, {}, "the device was lost", "Start the process again, or use another device.");
}

} // namespace devq::cuda
