// devq's own declarations of cuBLASLt's and cuBLAS's binary interfaces against their headers: all that is compared is
// compared when this file is compiled.
#include "abi_cublas.hpp"
#include "abi_same.hpp"
#include <cublas_v2.h>
#include <cublasLt.h>
#include <doctest/doctest.h>

namespace {

using namespace devq::cuda;
using devq::cuda_test::SameFunction;

#define DEVQ_SAME(name, symbol, older, ...)                                                                            \
    static_assert(SameFunction<__VA_ARGS__, std::remove_pointer_t<decltype(&symbol)>>::value, #symbol);
DEVQ_CUBLASLT_SYMBOLS(DEVQ_SAME)
#undef DEVQ_SAME

/// Of cublasGemmBatchedEx the header has an inline overload, too, with another type before the last.
namespace theirs {
using ::cublasCreate_v2, ::cublasDestroy_v2, ::cublasGetVersion_v2, ::cublasSetMathMode, ::cublasSetStream_v2,
    ::cublasSetWorkspace_v2, ::cublasGetCudartVersion, ::cublasGetStatusName;
constexpr auto cublasGemmBatchedEx = static_cast<cublasStatus_t (*)(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void* const*, cudaDataType,
    int, const void* const*, cudaDataType, int, const void*, void* const*, cudaDataType, int, int, cublasComputeType_t,
    cublasGemmAlgo_t)>(&::cublasGemmBatchedEx);
} // namespace theirs
#define DEVQ_SAME(name, symbol, older, ...)                                                                            \
    static_assert(                                                                                                     \
        SameFunction<__VA_ARGS__, std::remove_pointer_t<std::remove_const_t<decltype(theirs::symbol)>>>::value,        \
        #symbol);
DEVQ_CUBLAS_SYMBOLS(DEVQ_SAME)
#undef DEVQ_SAME

// Each constant of ours and the header's: a name that one side lacks does not compile.
#define DEVQ_CONSTANTS(X)                                                                                              \
    X(blas_success, CUBLAS_STATUS_SUCCESS)                                                                             \
    X(blas_not_initialized, CUBLAS_STATUS_NOT_INITIALIZED)                                                             \
    X(blas_alloc_failed, CUBLAS_STATUS_ALLOC_FAILED)                                                                   \
    X(blas_invalid_value, CUBLAS_STATUS_INVALID_VALUE)                                                                 \
    X(blas_arch_mismatch, CUBLAS_STATUS_ARCH_MISMATCH)                                                                 \
    X(blas_execution_failed, CUBLAS_STATUS_EXECUTION_FAILED)                                                           \
    X(blas_internal_error, CUBLAS_STATUS_INTERNAL_ERROR)                                                               \
    X(blas_not_supported, CUBLAS_STATUS_NOT_SUPPORTED)                                                                 \
    X(blas_compute_f32, CUBLAS_COMPUTE_32F)                                                                            \
    X(blas_compute_tf32, CUBLAS_COMPUTE_32F_FAST_TF32)                                                                 \
    X(blas_type_f32, CUDA_R_32F)                                                                                       \
    X(blas_type_f16, CUDA_R_16F)                                                                                       \
    X(blas_type_bf16, CUDA_R_16BF)                                                                                     \
    X(blas_plain, CUBLAS_OP_N)                                                                                         \
    X(blas_transposed, CUBLAS_OP_T)                                                                                    \
    X(operation_transpose_a, CUBLASLT_MATMUL_DESC_TRANSA)                                                              \
    X(operation_transpose_b, CUBLASLT_MATMUL_DESC_TRANSB)                                                              \
    X(operation_epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE)                                                               \
    X(operation_bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER)                                                       \
    X(operation_bias_type, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE)                                                        \
    X(layout_batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)                                                          \
    X(layout_batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)                                                \
    X(preference_workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)                                                  \
    X(preference_reductions, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)                                               \
    X(preference_alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)                                              \
    X(preference_alignment_b, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES)                                              \
    X(preference_alignment_c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES)                                              \
    X(preference_alignment_d, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)                                              \
    X(epilogue_default, CUBLASLT_EPILOGUE_DEFAULT)                                                                     \
    X(epilogue_relu, CUBLASLT_EPILOGUE_RELU)                                                                           \
    X(epilogue_bias, CUBLASLT_EPILOGUE_BIAS)                                                                           \
    X(epilogue_relu_bias, CUBLASLT_EPILOGUE_RELU_BIAS)                                                                 \
    X(epilogue_gelu, CUBLASLT_EPILOGUE_GELU)                                                                           \
    X(epilogue_gelu_bias, CUBLASLT_EPILOGUE_GELU_BIAS)                                                                 \
    X(reduction_none, CUBLASLT_REDUCTION_SCHEME_NONE)                                                                  \
    X(reduction_in_compute_type, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)                                               \
    X(blas_default, CUBLAS_GEMM_DEFAULT)                                                                               \
    X(blas_math_full_reduction, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)
#define DEVQ_SAME(ours, theirs)                                                                                        \
    static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs);
DEVQ_CONSTANTS(DEVQ_SAME)
#undef DEVQ_SAME
static_assert(sizeof(abi::BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t) &&
              sizeof(abi::BlasHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t) &&
              offsetof(abi::BlasHeuristic, workspace_bytes) ==
                  offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(abi::BlasHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state) &&
              offsetof(abi::BlasHeuristic, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

#define DEVQ_ONE(...) +1
constexpr int compared = 0 DEVQ_CUBLASLT_SYMBOLS(DEVQ_ONE) DEVQ_CUBLAS_SYMBOLS(DEVQ_ONE) DEVQ_CONSTANTS(DEVQ_ONE);

} // namespace

TEST_CASE("cuBLASLt's and cuBLAS's interfaces are declared as their headers have them") {
    CHECK(compared > 45); // the comparisons themselves were made by the compiler
}
