#pragma once
/// The part of NVML's binary interface that devq uses, declared by us. A test compares it with nvml.h where there is
/// one.

namespace devq::cuda::abi {

using NvmlResult = int;
using NvmlDevice = struct NvmlDeviceHandle*;

inline constexpr NvmlResult nvml_success = 0;
inline constexpr NvmlResult nvml_invalid_argument = 2;
inline constexpr NvmlResult nvml_not_supported = 3;
inline constexpr NvmlResult nvml_no_permission = 4;
inline constexpr NvmlResult nvml_not_found = 6;
inline constexpr NvmlResult nvml_insufficient_size = 7;
inline constexpr NvmlResult nvml_driver_not_loaded = 9;
inline constexpr NvmlResult nvml_version_mismatch = 18;

inline constexpr int nvml_temperature_gpu = 0;
inline constexpr int nvml_clock_sm = 1, nvml_clock_memory = 2;
inline constexpr unsigned nvml_mig_enabled = 1;
inline constexpr unsigned nvml_version_length = 80;
inline constexpr unsigned long long nvml_not_available = ~0ull; ///< in place of a process's memory

struct NvmlMemory {
    unsigned long long total, free, used;
};
struct NvmlUtilization {
    unsigned gpu, memory;
};
struct NvmlProcess {
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
};

} // namespace devq::cuda::abi

/// X(name in our table, exported symbol, symbol of older libraries or the same, signature). Without these there is
/// nothing to read.
#define DEVQ_NVML_NEEDED_SYMBOLS(X)                                                                                    \
    X(init, nvmlInit_v2, nvmlInit_v2, int())                                                                           \
    X(error_string, nvmlErrorString, nvmlErrorString, const char*(int))                                                \
    X(driver_version, nvmlSystemGetDriverVersion, nvmlSystemGetDriverVersion, int(char*, unsigned))                    \
    X(by_uuid, nvmlDeviceGetHandleByUUID, nvmlDeviceGetHandleByUUID, int(const char*, ::devq::cuda::abi::NvmlDevice*)) \
    X(by_pci, nvmlDeviceGetHandleByPciBusId_v2, nvmlDeviceGetHandleByPciBusId_v2,                                      \
      int(const char*, ::devq::cuda::abi::NvmlDevice*))

/// What one reading needs each.
#define DEVQ_NVML_READING_SYMBOLS(X)                                                                                   \
    X(mig_mode, nvmlDeviceGetMigMode, nvmlDeviceGetMigMode, int(::devq::cuda::abi::NvmlDevice, unsigned*, unsigned*))  \
    X(memory, nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo,                                                        \
      int(::devq::cuda::abi::NvmlDevice, ::devq::cuda::abi::NvmlMemory*))                                              \
    X(utilization, nvmlDeviceGetUtilizationRates, nvmlDeviceGetUtilizationRates,                                       \
      int(::devq::cuda::abi::NvmlDevice, ::devq::cuda::abi::NvmlUtilization*))                                         \
    X(temperature, nvmlDeviceGetTemperature, nvmlDeviceGetTemperature,                                                 \
      int(::devq::cuda::abi::NvmlDevice, int, unsigned*))                                                              \
    X(power, nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerUsage, int(::devq::cuda::abi::NvmlDevice, unsigned*))          \
    X(power_limit, nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetEnforcedPowerLimit,                                   \
      int(::devq::cuda::abi::NvmlDevice, unsigned*))                                                                   \
    X(clock, nvmlDeviceGetClockInfo, nvmlDeviceGetClockInfo, int(::devq::cuda::abi::NvmlDevice, int, unsigned*))       \
    X(max_clock, nvmlDeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo,                                                 \
      int(::devq::cuda::abi::NvmlDevice, int, unsigned*))                                                              \
    X(compute_processes, nvmlDeviceGetComputeRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v2,             \
      int(::devq::cuda::abi::NvmlDevice, unsigned*, ::devq::cuda::abi::NvmlProcess*))                                  \
    X(graphics_processes, nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlDeviceGetGraphicsRunningProcesses_v2,          \
      int(::devq::cuda::abi::NvmlDevice, unsigned*, ::devq::cuda::abi::NvmlProcess*))

#define DEVQ_NVML_SYMBOLS(X) DEVQ_NVML_NEEDED_SYMBOLS(X) DEVQ_NVML_READING_SYMBOLS(X)
