#pragma once
/// The part of the CUDA driver's binary interface that devq uses, declared by us: no toolkit is needed to build.
/// Names are those that the driver exports; the numbers are fixed by the driver's compatibility promise.

#include <cstddef>

namespace devq::cuda::abi {

using Result = int;
using DeviceNumber = int;

inline constexpr Result success = 0;
inline constexpr Result not_initialized = 3;
inline constexpr Result stub_library = 34;
inline constexpr Result device_unavailable = 46;
inline constexpr Result no_device = 100;
inline constexpr Result invalid_device = 101;
inline constexpr Result operating_system = 304;
inline constexpr Result not_permitted = 800;
inline constexpr Result system_not_ready = 802;
inline constexpr Result system_driver_mismatch = 803;
inline constexpr Result compat_not_supported = 804;
inline constexpr Result unknown = 999;

inline constexpr int attribute_compute_units = 16;
inline constexpr int attribute_pci_bus = 33;
inline constexpr int attribute_pci_device = 34;
inline constexpr int attribute_pci_domain = 50;
inline constexpr int attribute_major = 75;
inline constexpr int attribute_minor = 76;

} // namespace devq::cuda::abi

/// The driver's functions: X(name in our table, exported symbol, return type and parameters).
#define DEVQ_CUDA_SYMBOLS(X)                                                                                           \
    X(init, "cuInit", int(unsigned))                                                                                   \
    X(driver_version, "cuDriverGetVersion", int(int*))                                                                 \
    X(device_count, "cuDeviceGetCount", int(int*))                                                                     \
    X(device_get, "cuDeviceGet", int(int*, int))                                                                       \
    X(device_name, "cuDeviceGetName", int(char*, int, int))                                                            \
    X(device_memory, "cuDeviceTotalMem_v2", int(std::size_t*, int))                                                    \
    X(device_attribute, "cuDeviceGetAttribute", int(int*, int, int))
