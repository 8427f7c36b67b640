#pragma once
/// libcuda, opened at run time.

#include "abi.hpp"
#include <devq/device.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace devq::cuda {

/// The symbols of libcuda.so.1. Loaded once and kept: the driver does not take unloading well.
struct Driver {
#define DEVQ_CUDA_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_CUDA_SYMBOLS(DEVQ_CUDA_MEMBER)
#undef DEVQ_CUDA_MEMBER
};

/// Fills `driver`, or says why it cannot.
std::optional<Unavailable> load(Driver& driver);

/// What a failed call of the driver means for `devq list`.
Unavailable explain(const char* call, abi::Result result, int driver_version);

/// "12.4" for 12040.
std::string version_text(int version);

/// True when CUDA_VISIBLE_DEVICES is set to something that names no device.
bool hidden_by_environment();

} // namespace devq::cuda
