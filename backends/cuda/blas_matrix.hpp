#pragma once
/// Matrices as cuBLAS and cuBLASLt know them, and what their answers mean.

#include "abi_cublas.hpp"
#include "backend.hpp"
#include "context.hpp"
#include <limits>
#include <optional>
#include <string>

namespace devq::cuda {

inline constexpr std::int64_t most_blas_size = std::numeric_limits<std::int32_t>::max();

/// cudaDataType; -1: none of these libraries'.
int blas_type(DType type);

/// A matrix as the library knows it: columns of unit stride, `leading` elements apart; perhaps to be transposed.
struct Stored {
    std::int64_t rows = 0, columns = 0, leading = 0;
    bool transposed = false;
};

/// The product as the library computes it, column by column: out = left · right, or its transpose.
struct BlasProduct {
    Stored left, right, out, c;
    bool swapped = false; ///< left is b, right is a, as is usual for rows of unit stride

    std::int64_t largest() const noexcept; ///< of rows, columns and leading dimensions
};

/// Null, and `why`, where the strides are none that the libraries know.
std::optional<BlasProduct> blas_product(const backend::MatmulDescription& description, std::string& why);

/// @param product "cuBLASLt 13.1.0"; @param name of `result`, or null
/// The device's loss comes first: after it every call of the library fails in its own way.
Error blas_error(Context& context, const std::string& product, const char* name, abi::BlasResult result,
                 const char* call);

} // namespace devq::cuda
