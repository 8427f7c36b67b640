// devq's own declarations of CUDA's binary interfaces against a toolkit's headers: all that is compared is compared
// when this file is compiled.
#include "abi.hpp"
#include "abi_nvrtc.hpp"
#include "abi_same.hpp"
#include <cuda.h>
#include <doctest/doctest.h>
#include <nvrtc.h>

namespace {

using namespace devq::cuda;

using devq::cuda_test::same_value, devq::cuda_test::SameFunction;

// A comparison that finds everything the same would be no test.
static_assert(same_value<int, CUresult>() && !same_value<int, unsigned>() && !same_value<int, long>());
static_assert(same_value<abi::Stream, CUstream>() && !same_value<abi::Stream, void*>() && !same_value<int*, void**>());
static_assert(!SameFunction<int(int), int(int, int)>::value && !SameFunction<int(char*), int(const char*)>::value);

#if CUDA_VERSION < 13000
#define cuEventElapsedTime_v2 cuEventElapsedTime
#endif
#define DEVQ_SAME(name, symbol, older, ...)                                                                            \
    static_assert(SameFunction<__VA_ARGS__, std::remove_pointer_t<decltype(&symbol)>>::value, #symbol);
DEVQ_CUDA_SYMBOLS(DEVQ_SAME)
DEVQ_NVRTC_SYMBOLS(DEVQ_SAME)
#undef DEVQ_SAME

// Each constant of ours and the header's: a name that one side lacks does not compile.
#define DEVQ_CONSTANTS(X)                                                                                              \
    X(success, CUDA_SUCCESS)                                                                                           \
    X(invalid_value, CUDA_ERROR_INVALID_VALUE)                                                                         \
    X(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY)                                                                         \
    X(not_initialized, CUDA_ERROR_NOT_INITIALIZED)                                                                     \
    X(deinitialized, CUDA_ERROR_DEINITIALIZED)                                                                         \
    X(stub_library, CUDA_ERROR_STUB_LIBRARY)                                                                           \
    X(device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE)                                                               \
    X(no_device, CUDA_ERROR_NO_DEVICE)                                                                                 \
    X(invalid_device, CUDA_ERROR_INVALID_DEVICE)                                                                       \
    X(invalid_image, CUDA_ERROR_INVALID_IMAGE)                                                                         \
    X(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU)                                                                 \
    X(ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE)                                                                 \
    X(invalid_ptx, CUDA_ERROR_INVALID_PTX)                                                                             \
    X(jit_compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)                                                       \
    X(unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)                                                     \
    X(jit_compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED)                                                   \
    X(operating_system, CUDA_ERROR_OPERATING_SYSTEM)                                                                   \
    X(invalid_handle, CUDA_ERROR_INVALID_HANDLE)                                                                       \
    X(not_found, CUDA_ERROR_NOT_FOUND)                                                                                 \
    X(not_ready, CUDA_ERROR_NOT_READY)                                                                                 \
    X(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS)                                                                     \
    X(launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)                                                     \
    X(launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT)                                                                       \
    X(peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)                                             \
    X(capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)                                                      \
    X(capture_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)                                                      \
    X(capture_relaxed, CU_STREAM_CAPTURE_MODE_RELAXED)                                                                 \
    X(assert_failed, CUDA_ERROR_ASSERT)                                                                                \
    X(hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR)                                                           \
    X(illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)                                                             \
    X(misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS)                                                               \
    X(invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE)                                                         \
    X(invalid_program_counter, CUDA_ERROR_INVALID_PC)                                                                  \
    X(launch_failed, CUDA_ERROR_LAUNCH_FAILED)                                                                         \
    X(not_permitted, CUDA_ERROR_NOT_PERMITTED)                                                                         \
    X(not_supported, CUDA_ERROR_NOT_SUPPORTED)                                                                         \
    X(system_not_ready, CUDA_ERROR_SYSTEM_NOT_READY)                                                                   \
    X(system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)                                                       \
    X(compat_not_supported, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)                                                 \
    X(unknown, CUDA_ERROR_UNKNOWN)                                                                                     \
    X(attribute_max_threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                                                \
    X(attribute_max_block_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)                                                      \
    X(attribute_max_block_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)                                                      \
    X(attribute_max_block_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)                                                      \
    X(attribute_max_grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)                                                        \
    X(attribute_max_grid_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)                                                        \
    X(attribute_max_grid_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)                                                        \
    X(attribute_shared_memory, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)                                        \
    X(attribute_compute_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)                                               \
    X(attribute_pci_bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)                                                               \
    X(attribute_pci_device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)                                                         \
    X(attribute_pci_domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)                                                         \
    X(attribute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)                                                   \
    X(attribute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)                                                   \
    X(attribute_shared_memory_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)                            \
    X(function_max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                                                   \
    X(function_shared_memory, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)                                                     \
    X(function_max_dynamic_memory, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)                                    \
    X(stream_non_blocking, CU_STREAM_NON_BLOCKING)                                                                     \
    X(event_default, CU_EVENT_DEFAULT)                                                                                 \
    X(event_disable_timing, CU_EVENT_DISABLE_TIMING)                                                                   \
    X(jit_error_log, CU_JIT_ERROR_LOG_BUFFER)                                                                          \
    X(jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)                                                         \
    X(compiler_success, NVRTC_SUCCESS)                                                                                 \
    X(compiler_out_of_memory, NVRTC_ERROR_OUT_OF_MEMORY)                                                               \
    X(compiler_invalid_option, NVRTC_ERROR_INVALID_OPTION)                                                             \
    X(compiler_compilation, NVRTC_ERROR_COMPILATION)                                                                   \
    X(compiler_builtins_failed, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
#define DEVQ_SAME(ours, theirs)                                                                                        \
    static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs);
DEVQ_CONSTANTS(DEVQ_SAME)
#undef DEVQ_SAME
static_assert(sizeof(abi::DevicePointer) == sizeof(CUdeviceptr) && sizeof(abi::DeviceNumber) == sizeof(CUdevice));

#define DEVQ_ONE(...) +1
constexpr int compared = 0 DEVQ_CUDA_SYMBOLS(DEVQ_ONE) DEVQ_NVRTC_SYMBOLS(DEVQ_ONE) DEVQ_CONSTANTS(DEVQ_ONE);
static_assert(compared > 100);

} // namespace

TEST_CASE("CUDA's interfaces are declared as a toolkit's headers have them") {
    MESSAGE("compared with the headers of CUDA " << CUDA_VERSION / 1000 << "." << CUDA_VERSION % 1000 / 10);
    CHECK(compared > 100); // the comparisons themselves were made by the compiler
}
