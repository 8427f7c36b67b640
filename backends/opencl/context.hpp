#pragma once
/// What everything of one opened device shares.

#include "backend.hpp"
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

/// Handles as the contract passes them.
inline backend::NativeHandle to_native(const void* handle) noexcept {
    return reinterpret_cast<backend::NativeHandle>(handle);
}
template <class Handle>
Handle from_native(backend::NativeHandle handle) noexcept {
    return reinterpret_cast<Handle>(handle);
}

struct Context {
    cl::Device device;
    cl::Context context;
    std::atomic<bool> lost{false}; ///< never cleared

    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { forget_at_exit(context, device); }

    /// Throws invalid_argument when what others have made is not of this context. `what`: "buffer", "queue", ...
    void check_same(cl_context its, const char* what) const {
        if (its != context())
            throw Error(ErrorCode::invalid_argument, {},
                        std::string("the ") + what + " belongs to another cl_context than the device",
                        "Make it in devq's context (opencl::context), or give devq yours (opencl::wrap_device).");
    }
};

} // namespace devq::opencl
