#include "blas_matrix.hpp"
#include <algorithm>

namespace devq::cuda {

using backend::MatmulDescription;

int blas_type(DType type) {
    switch (type) {
    case DType::f32:
        return abi::blas_type_f32;
    case DType::f16:
        return abi::blas_type_f16;
    case DType::bf16:
        return abi::blas_type_bf16;
    default:
        return -1;
    }
}

std::int64_t BlasProduct::largest() const noexcept {
    std::int64_t most = 0;
    for (const Stored* matrix : {&left, &right, &c, &out})
        most = std::max({most, matrix->rows, matrix->columns, matrix->leading});
    return most;
}

namespace {

/// `row`, `column`: strides. Null: neither is 1, or the lines of the other overlap.
std::optional<Stored> stored(std::int64_t rows, std::int64_t row, std::int64_t columns, std::int64_t column) {
    if ((row == 1 || rows == 1) && (columns == 1 || column >= rows))
        return Stored{rows, columns, columns == 1 ? rows : column, false};
    if ((column == 1 || columns == 1) && (rows == 1 || row >= columns))
        return Stored{columns, rows, rows == 1 ? columns : row, true};
    return std::nullopt;
}

} // namespace

std::optional<BlasProduct> blas_product(const MatmulDescription& d, std::string& why) {
    const auto out_rows = stored(d.n, d.out.column, d.m, d.out.row); // outᵀ
    if (out_rows && !out_rows->transposed) {
        const auto left = stored(d.n, d.b.column, d.k, d.b.row), right = stored(d.k, d.a.column, d.m, d.a.row);
        const auto c = d.accumulate ? stored(d.n, d.c.column, d.m, d.c.row) : out_rows;
        if (left && right && c && !c->transposed)
            return BlasProduct{*left, *right, *out_rows, *c, true};
        why = !left || !right
                  ? std::string(left ? "a" : "b") + " has rows and columns with steps between their elements"
                  : "c does not lie as out does, row after row";
        return std::nullopt;
    }
    const auto out_columns = stored(d.m, d.out.row, d.n, d.out.column);
    if (!out_columns || out_columns->transposed) {
        why = "out has rows and columns with steps between their elements";
        return std::nullopt;
    }
    if (d.bias) {
        why = "the bias lies across the columns of out, which are the contiguous ones";
        return std::nullopt;
    }
    const auto left = stored(d.m, d.a.row, d.k, d.a.column), right = stored(d.k, d.b.row, d.n, d.b.column);
    const auto c = d.accumulate ? stored(d.m, d.c.row, d.n, d.c.column) : out_columns;
    if (left && right && c && !c->transposed)
        return BlasProduct{*left, *right, *out_columns, *c, false};
    why = !left || !right ? std::string(left ? "b" : "a") + " has rows and columns with steps between their elements"
                          : "c does not lie as out does, column after column";
    return std::nullopt;
}

Error blas_error(Context& context, const std::string& product, const char* name, abi::BlasResult result,
                 const char* call) {
    context.check_alive();
    ErrorCode code = ErrorCode::unavailable;
    if (result == abi::blas_alloc_failed)
        code = ErrorCode::out_of_memory;
    else if (result == abi::blas_not_supported || result == abi::blas_invalid_value ||
             result == abi::blas_arch_mismatch)
        code = ErrorCode::unsupported;
    return Error(code, {}, product + " fails: " + (name != nullptr ? name : "no reason given"),
                 "Set DEVQ_PATH to portable for devq's own kernels; if memory is short, free buffers.", call, result);
}

} // namespace devq::cuda
