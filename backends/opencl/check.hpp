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
