#pragma once
/// What everything of one opened device shares.

#include "cl.hpp"
#include <atomic>

namespace devq::opencl {

/// True once the process has begun to end. From then on drivers may be half gone, so nothing calls them: the system
/// clears what is left. Set by a handler that the backend registers when the drivers are loaded.
bool process_ends() noexcept;
void watch_process_end();

/// For destructors: makes CLHPP objects drop their handles without a call into the driver when the process ends.
template <class... Handles>
void forget_at_exit(Handles&... handles) noexcept {
    if (process_ends())
        ((handles() = nullptr), ...);
}

struct Context {
    cl::Device device;
    cl::Context context;
    std::atomic<bool> lost{false}; ///< never cleared

    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { forget_at_exit(context, device); }
};

} // namespace devq::opencl
