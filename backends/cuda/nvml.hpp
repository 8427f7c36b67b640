#pragma once
/// What NVIDIA's management library tells of a device, opened at run time: it takes no context and no memory.

#include "abi.hpp"
#include "abi_nvml.hpp"
#include "backend_readings.hpp"
#include <devq/device.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace devq::cuda {

/// libnvidia-ml.so.1. Loaded once and kept.
struct Nvml {
#define DEVQ_NVML_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_NVML_SYMBOLS(DEVQ_NVML_MEMBER)
#undef DEVQ_NVML_MEMBER
    std::string version; ///< of the driver that it belongs to, with its file
};

/// Fills `library` and starts it, or says why it cannot.
std::optional<Unavailable> load(Nvml& library);

/// The device of that UUID (as the CUDA driver gives it; null: unknown), else the one at that PCI address: the order in
/// which NVML numbers devices is its own.
backend::Readings read(const Nvml& library, const abi::Uuid* uuid, const std::string& pci);

/// "GPU-8f2b…", the name in NVIDIA's tools of a device that is no part of another.
std::string uuid_text(const abi::Uuid& uuid, const char* prefix = "GPU-");

} // namespace devq::cuda
