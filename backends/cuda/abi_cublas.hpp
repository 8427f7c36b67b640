#pragma once
/// The parts of cuBLASLt's and cuBLAS's binary interfaces that devq uses, declared by us. The same in CUDA 12 and 13; a
/// test compares them with a toolkit's cublasLt.h and cublas_api.h.

#include "abi.hpp"
#include <cstdint>

namespace devq::cuda::abi {

using BlasResult = int;
using BlasHandle = struct BlasHandleState*;
using BlasOperation = struct BlasOperationState*;
using BlasLayout = struct BlasLayoutState*;
using BlasPreference = struct BlasPreferenceState*;
using CublasHandle = struct CublasHandleState*;

inline constexpr BlasResult blas_success = 0;
inline constexpr BlasResult blas_not_initialized = 1;
inline constexpr BlasResult blas_alloc_failed = 3;
inline constexpr BlasResult blas_invalid_value = 7;
inline constexpr BlasResult blas_arch_mismatch = 8;
inline constexpr BlasResult blas_execution_failed = 13;
inline constexpr BlasResult blas_internal_error = 14;
inline constexpr BlasResult blas_not_supported = 15;

inline constexpr int blas_compute_f32 = 68;
inline constexpr int blas_compute_tf32 = 77;

// cudaDataType
inline constexpr int blas_type_f32 = 0;
inline constexpr int blas_type_f16 = 2;
inline constexpr int blas_type_bf16 = 14;

inline constexpr int blas_plain = 0;
inline constexpr int blas_transposed = 1;

// Attributes of an operation, of a layout, of a preference
inline constexpr int operation_transpose_a = 3;  ///< int32
inline constexpr int operation_transpose_b = 4;  ///< int32
inline constexpr int operation_epilogue = 7;     ///< uint32
inline constexpr int operation_bias_pointer = 8; ///< void*
inline constexpr int operation_bias_type = 26;   ///< int32
inline constexpr int layout_batch_count = 5;     ///< int32
inline constexpr int layout_batch_stride = 6;    ///< int64, elements
inline constexpr int preference_workspace = 1;   ///< uint64, bytes
inline constexpr int preference_reductions = 3;  ///< uint32, a mask
inline constexpr int preference_alignment_a = 5; ///< uint32, bytes; b, c and d follow
inline constexpr int preference_alignment_b = 6;
inline constexpr int preference_alignment_c = 7;
inline constexpr int preference_alignment_d = 8;

inline constexpr int epilogue_default = 1;
inline constexpr int epilogue_relu = 2;
inline constexpr int epilogue_bias = 4;
inline constexpr int epilogue_relu_bias = 6;
inline constexpr int epilogue_gelu = 32; ///< by tanh
inline constexpr int epilogue_gelu_bias = 36;

inline constexpr int reduction_none = 0;
inline constexpr int reduction_in_compute_type = 2;

inline constexpr int blas_default = -1;             ///< of algorithms
inline constexpr int blas_math_full_reduction = 16; ///< sums are not kept in half precision

struct BlasAlgorithm {
    std::uint64_t data[8];
};

struct BlasHeuristic {
    BlasAlgorithm algorithm;
    std::size_t workspace_bytes;
    BlasResult state;
    float waves;
    int reserved[4];
};

} // namespace devq::cuda::abi

/// X(name in our table, exported symbol, symbol of older libraries or the same, signature).
#define DEVQ_CUBLASLT_SYMBOLS(X)                                                                                       \
    X(version_number, cublasLtGetVersion, cublasLtGetVersion, std::size_t())                                           \
    X(runtime_version, cublasLtGetCudartVersion, cublasLtGetCudartVersion, std::size_t())                              \
    X(status_name, cublasLtGetStatusName, cublasLtGetStatusName, const char*(int))                                     \
    X(create, cublasLtCreate, cublasLtCreate, int(::devq::cuda::abi::BlasHandle*))                                     \
    X(destroy, cublasLtDestroy, cublasLtDestroy, int(::devq::cuda::abi::BlasHandle))                                   \
    X(operation_create, cublasLtMatmulDescCreate, cublasLtMatmulDescCreate,                                            \
      int(::devq::cuda::abi::BlasOperation*, int, int))                                                                \
    X(operation_destroy, cublasLtMatmulDescDestroy, cublasLtMatmulDescDestroy, int(::devq::cuda::abi::BlasOperation))  \
    X(operation_set, cublasLtMatmulDescSetAttribute, cublasLtMatmulDescSetAttribute,                                   \
      int(::devq::cuda::abi::BlasOperation, int, const void*, std::size_t))                                            \
    X(layout_create, cublasLtMatrixLayoutCreate, cublasLtMatrixLayoutCreate,                                           \
      int(::devq::cuda::abi::BlasLayout*, int, std::uint64_t, std::uint64_t, std::int64_t))                            \
    X(layout_destroy, cublasLtMatrixLayoutDestroy, cublasLtMatrixLayoutDestroy, int(::devq::cuda::abi::BlasLayout))    \
    X(layout_set, cublasLtMatrixLayoutSetAttribute, cublasLtMatrixLayoutSetAttribute,                                  \
      int(::devq::cuda::abi::BlasLayout, int, const void*, std::size_t))                                               \
    X(preference_create, cublasLtMatmulPreferenceCreate, cublasLtMatmulPreferenceCreate,                               \
      int(::devq::cuda::abi::BlasPreference*))                                                                         \
    X(preference_destroy, cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreferenceDestroy,                            \
      int(::devq::cuda::abi::BlasPreference))                                                                          \
    X(preference_set, cublasLtMatmulPreferenceSetAttribute, cublasLtMatmulPreferenceSetAttribute,                      \
      int(::devq::cuda::abi::BlasPreference, int, const void*, std::size_t))                                           \
    X(heuristic, cublasLtMatmulAlgoGetHeuristic, cublasLtMatmulAlgoGetHeuristic,                                       \
      int(::devq::cuda::abi::BlasHandle, ::devq::cuda::abi::BlasOperation, ::devq::cuda::abi::BlasLayout,              \
          ::devq::cuda::abi::BlasLayout, ::devq::cuda::abi::BlasLayout, ::devq::cuda::abi::BlasLayout,                 \
          ::devq::cuda::abi::BlasPreference, int, ::devq::cuda::abi::BlasHeuristic*, int*))                            \
    X(matmul, cublasLtMatmul, cublasLtMatmul,                                                                          \
      int(::devq::cuda::abi::BlasHandle, ::devq::cuda::abi::BlasOperation, const void*, const void*,                   \
          ::devq::cuda::abi::BlasLayout, const void*, ::devq::cuda::abi::BlasLayout, const void*, const void*,         \
          ::devq::cuda::abi::BlasLayout, void*, ::devq::cuda::abi::BlasLayout,                                         \
          const ::devq::cuda::abi::BlasAlgorithm*, void*, std::size_t, ::devq::cuda::abi::Stream))

#define DEVQ_CUBLAS_SYMBOLS(X)                                                                                         \
    X(runtime_version, cublasGetCudartVersion, cublasGetCudartVersion, std::size_t())                                  \
    X(status_name, cublasGetStatusName, cublasGetStatusName, const char*(int))                                         \
    X(create, cublasCreate_v2, cublasCreate_v2, int(::devq::cuda::abi::CublasHandle*))                                 \
    X(destroy, cublasDestroy_v2, cublasDestroy_v2, int(::devq::cuda::abi::CublasHandle))                               \
    X(version_number, cublasGetVersion_v2, cublasGetVersion_v2, int(::devq::cuda::abi::CublasHandle, int*))            \
    X(set_math, cublasSetMathMode, cublasSetMathMode, int(::devq::cuda::abi::CublasHandle, int))                       \
    X(set_stream, cublasSetStream_v2, cublasSetStream_v2,                                                              \
      int(::devq::cuda::abi::CublasHandle, ::devq::cuda::abi::Stream))                                                 \
    X(set_workspace, cublasSetWorkspace_v2, cublasSetWorkspace_v2,                                                     \
      int(::devq::cuda::abi::CublasHandle, void*, std::size_t))                                                        \
    X(products, cublasGemmBatchedEx, cublasGemmBatchedEx,                                                              \
      int(::devq::cuda::abi::CublasHandle, int, int, int, int, int, const void*, const void* const*, int, int,         \
          const void* const*, int, int, const void*, void* const*, int, int, int, int, int))
