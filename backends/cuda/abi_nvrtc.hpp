#pragma once
/// The part of NVRTC's binary interface that devq uses, declared by us. The same in NVRTC 11.2, 12 and 13; a test
/// compares it with a toolkit's nvrtc.h.

#include <cstddef>

namespace devq::cuda::abi {

using CompilerResult = int;
using CompilerProgram = struct CompilerProgramHandle*;

inline constexpr CompilerResult compiler_success = 0;
inline constexpr CompilerResult compiler_out_of_memory = 1;
inline constexpr CompilerResult compiler_invalid_option = 5;
inline constexpr CompilerResult compiler_compilation = 6;
inline constexpr CompilerResult compiler_builtins_failed = 7;

} // namespace devq::cuda::abi

/// X(name in our table, exported symbol, symbol of older libraries or the same, signature).
#define DEVQ_NVRTC_SYMBOLS(X)                                                                                          \
    X(version, nvrtcVersion, nvrtcVersion, int(int*, int*))                                                            \
    X(error_string, nvrtcGetErrorString, nvrtcGetErrorString, const char*(int))                                        \
    X(architecture_count, nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs, int(int*))                             \
    X(architectures, nvrtcGetSupportedArchs, nvrtcGetSupportedArchs, int(int*))                                        \
    X(create, nvrtcCreateProgram, nvrtcCreateProgram,                                                                  \
      int(::devq::cuda::abi::CompilerProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
    X(destroy, nvrtcDestroyProgram, nvrtcDestroyProgram, int(::devq::cuda::abi::CompilerProgram*))                     \
    X(compile, nvrtcCompileProgram, nvrtcCompileProgram,                                                               \
      int(::devq::cuda::abi::CompilerProgram, int, const char* const*))                                                \
    X(log_size, nvrtcGetProgramLogSize, nvrtcGetProgramLogSize, int(::devq::cuda::abi::CompilerProgram, std::size_t*)) \
    X(log, nvrtcGetProgramLog, nvrtcGetProgramLog, int(::devq::cuda::abi::CompilerProgram, char*))                     \
    X(ptx_size, nvrtcGetPTXSize, nvrtcGetPTXSize, int(::devq::cuda::abi::CompilerProgram, std::size_t*))               \
    X(ptx, nvrtcGetPTX, nvrtcGetPTX, int(::devq::cuda::abi::CompilerProgram, char*))                                   \
    X(cubin_size, nvrtcGetCUBINSize, nvrtcGetCUBINSize, int(::devq::cuda::abi::CompilerProgram, std::size_t*))         \
    X(cubin, nvrtcGetCUBIN, nvrtcGetCUBIN, int(::devq::cuda::abi::CompilerProgram, char*))
