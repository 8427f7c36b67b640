#pragma once
/// Results of the driver into devq::Error: one place that names the call, the code, and what to do.

#include "driver.hpp"
#include <devq/error.hpp>
#include <string>
#include <string_view>

namespace devq::cuda {

/// "CUDA_ERROR_OUT_OF_MEMORY"; "CUDA error N" for one that the driver does not know.
std::string result_name(const Driver& driver, abi::Result result);

/// After such a result the context is of no use until the process ends.
bool is_sticky(abi::Result result) noexcept;

/// The error for a `result` that `call` returned. `problem` stands before the result's name.
Error error_from(const Driver& driver, abi::Result result, std::string_view call, std::string_view problem = {});

} // namespace devq::cuda
