#pragma once
/// Statuses of OpenCL into devq::Error: one place that names the call, the code, and what to do.

#include "cl.hpp"
#include <devq/error.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace devq::opencl {

/// "CL_OUT_OF_RESOURCES"; "OpenCL status N" for one that the headers do not know.
std::string status_name(cl_int status);

/// The error for a `status` that `call` returned, or that a command ended with. `problem` stands before the code.
Error error_from(cl_int status, std::string_view call, std::string_view problem = {});

inline void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) [[unlikely]]
        throw error_from(status, call);
}

/// A question to a handle that the caller brought: one that the driver does not know (released, or another object's)
/// says nothing about the device.
inline void check_handle(cl_int status, const char* call, const char* object) {
    if (status <= CL_INVALID_VALUE)
        throw Error(ErrorCode::invalid_argument, {},
                    std::string("this is no living ") + object + ": " + status_name(status),
                    "Pass one that was not released, made by the same OpenCL loader.", call, status);
    check(status, call);
}

/// Runs `body`, which uses CLHPP: its exceptions leave as devq::Error.
template <class Body>
decltype(auto) translated(Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const cl::Error& error) {
        throw error_from(error.err(), error.what());
    }
}

} // namespace devq::opencl
