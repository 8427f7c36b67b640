#pragma once
/// The part of the CUDA driver's binary interface that devq uses, declared by us: no toolkit is needed to build.
/// Names are those that the driver exports; the numbers are fixed by the driver's compatibility promise. A test
/// compares all of it with a toolkit's cuda.h.

#include <cstddef>

namespace devq::cuda::abi {

// The header's enumerations are ints. Handles point to what only the driver knows.
using Result = int;
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
using Graph = struct GraphHandle*;
using GraphExec = struct GraphExecHandle*;
struct Uuid {
    char bytes[16];
};

inline constexpr Result success = 0;
inline constexpr Result invalid_value = 1;
inline constexpr Result out_of_memory = 2;
inline constexpr Result not_initialized = 3;
inline constexpr Result deinitialized = 4;
inline constexpr Result stub_library = 34;
inline constexpr Result device_unavailable = 46;
inline constexpr Result no_device = 100;
inline constexpr Result invalid_device = 101;
inline constexpr Result invalid_image = 200;
inline constexpr Result no_binary_for_gpu = 209;
inline constexpr Result ecc_uncorrectable = 214;
inline constexpr Result invalid_ptx = 218;
inline constexpr Result jit_compiler_not_found = 221;
inline constexpr Result unsupported_ptx_version = 222;
inline constexpr Result jit_compilation_disabled = 223;
inline constexpr Result operating_system = 304;
inline constexpr Result invalid_handle = 400;
inline constexpr Result not_found = 500;
inline constexpr Result not_ready = 600;
inline constexpr Result illegal_address = 700;
inline constexpr Result launch_out_of_resources = 701;
inline constexpr Result launch_timeout = 702;
inline constexpr Result peer_access_already_enabled = 704;
inline constexpr Result assert_failed = 710;
inline constexpr Result hardware_stack_error = 714;
inline constexpr Result illegal_instruction = 715;
inline constexpr Result misaligned_address = 716;
inline constexpr Result invalid_address_space = 717;
inline constexpr Result invalid_program_counter = 718;
inline constexpr Result launch_failed = 719;
inline constexpr Result not_permitted = 800;
inline constexpr Result not_supported = 801;
inline constexpr Result system_not_ready = 802;
inline constexpr Result system_driver_mismatch = 803;
inline constexpr Result compat_not_supported = 804;
inline constexpr Result capture_unsupported = 900;
inline constexpr Result capture_invalidated = 901;
inline constexpr Result unknown = 999;

inline constexpr int attribute_max_threads = 1; ///< in a block
inline constexpr int attribute_max_block_x = 2, attribute_max_block_y = 3, attribute_max_block_z = 4;
inline constexpr int attribute_max_grid_x = 5, attribute_max_grid_y = 6, attribute_max_grid_z = 7;
inline constexpr int attribute_shared_memory = 8; ///< of a block, without asking for more
inline constexpr int attribute_compute_units = 16;
inline constexpr int attribute_pci_bus = 33;
inline constexpr int attribute_pci_device = 34;
inline constexpr int attribute_pci_domain = 50;
inline constexpr int attribute_major = 75;
inline constexpr int attribute_minor = 76;
inline constexpr int attribute_shared_memory_optin = 97; ///< of a block whose kernel asks for it

inline constexpr int function_max_threads = 0;
inline constexpr int function_shared_memory = 1;      ///< declared by the kernel itself
inline constexpr int function_max_dynamic_memory = 8; ///< may be set

inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_default = 0; ///< with a time stamp
inline constexpr unsigned event_disable_timing = 2;

inline constexpr int capture_relaxed = 2; ///< other threads may do what they like meanwhile

inline constexpr int jit_error_log = 5;
inline constexpr int jit_error_log_bytes = 6;

} // namespace devq::cuda::abi

/// The driver's functions: X(name in our table, exported symbol, symbol of older drivers or the same, signature).
/// Versioned names matter: the plain ones lead to interfaces of long ago.
#define DEVQ_CUDA_LISTING_SYMBOLS(X)                                                                                   \
    X(init, cuInit, cuInit, int(unsigned))                                                                             \
    X(driver_version, cuDriverGetVersion, cuDriverGetVersion, int(int*))                                               \
    X(device_count, cuDeviceGetCount, cuDeviceGetCount, int(int*))                                                     \
    X(device_get, cuDeviceGet, cuDeviceGet, int(int*, int))                                                            \
    X(device_name, cuDeviceGetName, cuDeviceGetName, int(char*, int, int))                                             \
    X(device_memory, cuDeviceTotalMem_v2, cuDeviceTotalMem_v2, int(std::size_t*, int))                                 \
    X(device_attribute, cuDeviceGetAttribute, cuDeviceGetAttribute, int(int*, int, int))

#define DEVQ_CUDA_WORKING_SYMBOLS(X)                                                                                   \
    X(device_uuid, cuDeviceGetUuid_v2, cuDeviceGetUuid, int(::devq::cuda::abi::Uuid*, int))                            \
    X(error_name, cuGetErrorName, cuGetErrorName, int(int, const char**))                                              \
    X(context_retain, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, int(::devq::cuda::abi::Context*, int))       \
    X(context_release, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, int(int))                              \
    X(context_set, cuCtxSetCurrent, cuCtxSetCurrent, int(::devq::cuda::abi::Context))                                  \
    X(memory_info, cuMemGetInfo_v2, cuMemGetInfo_v2, int(std::size_t*, std::size_t*))                                  \
    X(memory_alloc, cuMemAlloc_v2, cuMemAlloc_v2, int(::devq::cuda::abi::DevicePointer*, std::size_t))                 \
    X(memory_free, cuMemFree_v2, cuMemFree_v2, int(::devq::cuda::abi::DevicePointer))                                  \
    X(host_alloc, cuMemHostAlloc, cuMemHostAlloc, int(void**, std::size_t, unsigned))                                  \
    X(host_free, cuMemFreeHost, cuMemFreeHost, int(void*))                                                             \
    X(copy_in, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2,                                                             \
      int(::devq::cuda::abi::DevicePointer, const void*, std::size_t, ::devq::cuda::abi::Stream))                      \
    X(copy_out, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2,                                                            \
      int(void*, ::devq::cuda::abi::DevicePointer, std::size_t, ::devq::cuda::abi::Stream))                            \
    X(copy_within, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2,                                                         \
      int(::devq::cuda::abi::DevicePointer, ::devq::cuda::abi::DevicePointer, std::size_t, ::devq::cuda::abi::Stream)) \
    X(set_bytes, cuMemsetD8Async, cuMemsetD8Async,                                                                     \
      int(::devq::cuda::abi::DevicePointer, unsigned char, std::size_t, ::devq::cuda::abi::Stream))                    \
    X(set_shorts, cuMemsetD16Async, cuMemsetD16Async,                                                                  \
      int(::devq::cuda::abi::DevicePointer, unsigned short, std::size_t, ::devq::cuda::abi::Stream))                   \
    X(set_words, cuMemsetD32Async, cuMemsetD32Async,                                                                   \
      int(::devq::cuda::abi::DevicePointer, unsigned, std::size_t, ::devq::cuda::abi::Stream))                         \
    X(copy_between, cuMemcpyPeerAsync, cuMemcpyPeerAsync,                                                              \
      int(::devq::cuda::abi::DevicePointer, ::devq::cuda::abi::Context, ::devq::cuda::abi::DevicePointer,              \
          ::devq::cuda::abi::Context, std::size_t, ::devq::cuda::abi::Stream))                                         \
    X(can_access_peer, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, int(int*, int, int))                              \
    X(enable_peer_access, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, int(::devq::cuda::abi::Context, unsigned))     \
    X(stream_create, cuStreamCreate, cuStreamCreate, int(::devq::cuda::abi::Stream*, unsigned))                        \
    X(stream_destroy, cuStreamDestroy_v2, cuStreamDestroy_v2, int(::devq::cuda::abi::Stream))                          \
    X(stream_synchronize, cuStreamSynchronize, cuStreamSynchronize, int(::devq::cuda::abi::Stream))                    \
    X(stream_wait, cuStreamWaitEvent, cuStreamWaitEvent,                                                               \
      int(::devq::cuda::abi::Stream, ::devq::cuda::abi::Event, unsigned))                                              \
    X(capture_begin, cuStreamBeginCapture_v2, cuStreamBeginCapture_v2, int(::devq::cuda::abi::Stream, int))            \
    X(capture_end, cuStreamEndCapture, cuStreamEndCapture, int(::devq::cuda::abi::Stream, ::devq::cuda::abi::Graph*))  \
    X(graph_instantiate, cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                                     \
      int(::devq::cuda::abi::GraphExec*, ::devq::cuda::abi::Graph, unsigned long long))                                \
    X(graph_launch, cuGraphLaunch, cuGraphLaunch, int(::devq::cuda::abi::GraphExec, ::devq::cuda::abi::Stream))        \
    X(graph_destroy, cuGraphDestroy, cuGraphDestroy, int(::devq::cuda::abi::Graph))                                    \
    X(graph_exec_destroy, cuGraphExecDestroy, cuGraphExecDestroy, int(::devq::cuda::abi::GraphExec))                   \
    X(event_create, cuEventCreate, cuEventCreate, int(::devq::cuda::abi::Event*, unsigned))                            \
    X(event_destroy, cuEventDestroy_v2, cuEventDestroy_v2, int(::devq::cuda::abi::Event))                              \
    X(event_record, cuEventRecord, cuEventRecord, int(::devq::cuda::abi::Event, ::devq::cuda::abi::Stream))            \
    X(event_query, cuEventQuery, cuEventQuery, int(::devq::cuda::abi::Event))                                          \
    X(event_synchronize, cuEventSynchronize, cuEventSynchronize, int(::devq::cuda::abi::Event))                        \
    X(event_elapsed, cuEventElapsedTime_v2, cuEventElapsedTime,                                                        \
      int(float*, ::devq::cuda::abi::Event, ::devq::cuda::abi::Event))                                                 \
    X(module_load, cuModuleLoadDataEx, cuModuleLoadDataEx,                                                             \
      int(::devq::cuda::abi::Module*, const void*, unsigned, int*, void**))                                            \
    X(module_unload, cuModuleUnload, cuModuleUnload, int(::devq::cuda::abi::Module))                                   \
    X(module_function, cuModuleGetFunction, cuModuleGetFunction,                                                       \
      int(::devq::cuda::abi::Function*, ::devq::cuda::abi::Module, const char*))                                       \
    X(function_get, cuFuncGetAttribute, cuFuncGetAttribute, int(int*, int, ::devq::cuda::abi::Function))               \
    X(function_set, cuFuncSetAttribute, cuFuncSetAttribute, int(::devq::cuda::abi::Function, int, int))                \
    X(occupancy, cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize,                                   \
      int(int*, int*, ::devq::cuda::abi::Function, std::size_t (*)(int), std::size_t, int))                            \
    X(launch, cuLaunchKernel, cuLaunchKernel,                                                                          \
      int(::devq::cuda::abi::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,           \
          ::devq::cuda::abi::Stream, void**, void**))

#define DEVQ_CUDA_SYMBOLS(X) DEVQ_CUDA_LISTING_SYMBOLS(X) DEVQ_CUDA_WORKING_SYMBOLS(X)
