#pragma once
/// How the stand-in's entry points are written: DEVQ_VIRTUAL(NAME, needs, parameters...) { body, with `call` }
/// DEVQ_VIRTUAL_END.

#include "world.hpp"
#include <cstdio>
#include <cstdlib>
#include <devq/api.hpp>

// Exceptions may not leave a C interface: what is thrown in a body is a fault of the tests.
#define DEVQ_VIRTUAL(symbol, needs, ...)                                                                               \
    extern "C" DEVQ_API int symbol(__VA_ARGS__) noexcept;                                                              \
    extern "C" int symbol(__VA_ARGS__) noexcept {                                                                      \
        ::virtual_cuda::Call call(#symbol, ::virtual_cuda::Call::Needs::needs);                                        \
        if (call.result() != ::virtual_cuda::abi::success)                                                             \
            return call.result();                                                                                      \
        const auto body = [&]() -> int
#define DEVQ_VIRTUAL_END                                                                                               \
    ;                                                                                                                  \
    return call.after(body());                                                                                         \
    }

namespace virtual_cuda {

/// Null for a handle that is not, or no longer, the device's.
inline std::shared_ptr<StreamState> find_stream(Device& device, abi::Stream handle) {
    const auto found = device.streams.find(reinterpret_cast<StreamState*>(handle));
    return found != device.streams.end() ? found->second : nullptr;
}
inline std::shared_ptr<EventState> find_event(Device& device, abi::Event handle) {
    const auto found = device.events.find(reinterpret_cast<EventState*>(handle));
    return found != device.events.end() ? found->second : nullptr;
}

} // namespace virtual_cuda
