#pragma once
/// What the stand-ins for cuBLASLt and cuBLAS share.

#include "abi_cublas.hpp"
#include "library.hpp"
#include <optional>

namespace virtual_cuda {

inline std::optional<Number> number(int type) {
    switch (type) {
    case abi::blas_type_f32:
        return Number::f32;
    case abi::blas_type_f16:
        return Number::f16;
    case abi::blas_type_bf16:
        return Number::bf16;
    default:
        return std::nullopt;
    }
}

inline const char* blas_status_name(int status) noexcept {
    switch (status) {
    case abi::blas_not_initialized:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case abi::blas_alloc_failed:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case abi::blas_invalid_value:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case abi::blas_arch_mismatch:
        return "CUBLAS_STATUS_ARCH_MISMATCH";
    case abi::blas_execution_failed:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case abi::blas_not_supported:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
        return "";
    }
}

} // namespace virtual_cuda
