// devq's own declarations of NVML's binary interface against its header: all that is compared is compared when this
// file is compiled.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "abi_nvml.hpp"
#include "abi_same.hpp"
#include <cstddef>
#include <doctest/doctest.h>
#include <nvml.h>

namespace {

using namespace devq::cuda;
using devq::cuda_test::SameFunction;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define DEVQ_SAME(name, symbol, older, ...)                                                                            \
    static_assert(SameFunction<__VA_ARGS__, std::remove_pointer_t<decltype(&symbol)>>::value, #symbol);
DEVQ_NVML_SYMBOLS(DEVQ_SAME)
#undef DEVQ_SAME

#define DEVQ_CONSTANTS(X)                                                                                              \
    X(nvml_success, NVML_SUCCESS)                                                                                      \
    X(nvml_invalid_argument, NVML_ERROR_INVALID_ARGUMENT)                                                              \
    X(nvml_not_supported, NVML_ERROR_NOT_SUPPORTED)                                                                    \
    X(nvml_no_permission, NVML_ERROR_NO_PERMISSION)                                                                    \
    X(nvml_not_found, NVML_ERROR_NOT_FOUND)                                                                            \
    X(nvml_insufficient_size, NVML_ERROR_INSUFFICIENT_SIZE)                                                            \
    X(nvml_driver_not_loaded, NVML_ERROR_DRIVER_NOT_LOADED)                                                            \
    X(nvml_version_mismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH)                                                       \
    X(nvml_temperature_gpu, NVML_TEMPERATURE_GPU)                                                                      \
    X(nvml_clock_sm, NVML_CLOCK_SM)                                                                                    \
    X(nvml_clock_memory, NVML_CLOCK_MEM)                                                                               \
    X(nvml_mig_enabled, NVML_DEVICE_MIG_ENABLE)                                                                        \
    X(nvml_version_length, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE)                                                     \
    X(nvml_not_available, NVML_VALUE_NOT_AVAILABLE)
#define DEVQ_SAME(ours, theirs)                                                                                        \
    static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs);
DEVQ_CONSTANTS(DEVQ_SAME)
#undef DEVQ_SAME
static_assert(sizeof(abi::NvmlMemory) == sizeof(nvmlMemory_t) &&
              offsetof(abi::NvmlMemory, free) == offsetof(nvmlMemory_t, free) &&
              offsetof(abi::NvmlMemory, used) == offsetof(nvmlMemory_t, used));
static_assert(sizeof(abi::NvmlUtilization) == sizeof(nvmlUtilization_t) &&
              offsetof(abi::NvmlUtilization, memory) == offsetof(nvmlUtilization_t, memory));
static_assert(sizeof(abi::NvmlProcess) == sizeof(nvmlProcessInfo_t) &&
              offsetof(abi::NvmlProcess, used_memory) == offsetof(nvmlProcessInfo_t, usedGpuMemory) &&
              offsetof(abi::NvmlProcess, compute_instance) == offsetof(nvmlProcessInfo_t, computeInstanceId));

#define DEVQ_ONE(...) +1
constexpr int compared = 0 DEVQ_NVML_SYMBOLS(DEVQ_ONE) DEVQ_CONSTANTS(DEVQ_ONE);

} // namespace

TEST_CASE("NVML's interface is declared as its header has it") {
    CHECK(compared > 25); // the comparisons themselves were made by the compiler
}
