#pragma once
/// Part of the contract in backend.hpp: operations that a vendor's library may do in place of devq's own kernels. Each
/// is a description of plain data, which a device supports or not, and the memory that it works on. All of it is
/// optional: a backend that overrides nothing has the portable kernels.

#include <array>
#include <cstddef>
#include <cstdint>
#include <devq/dtype.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace devq::backend {

class Memory;

/// What products are rounded to before they are summed. The sum is f32 in both.
enum class Compute : std::uint8_t {
    f32,  ///< nothing: operands count with all their bits
    tf32, ///< operands of f32 may lose all but ten bits of their fractions; only where the caller asked for it
};

/// Applied to a sum, with its bias, before that is rounded to the storage type.
enum class Epilogue : std::uint8_t { none, relu, gelu_tanh };

/// out = epilogue(alpha · a · b + beta · c + bias) for a batch of matrices: a is m × k, b is k × n, out and c m × n,
/// bias (of out's type) has n elements and is added to each row. All sizes are at least 1.
struct MatmulDescription {
    static constexpr int max_batch_rank = 6;

    /// Strides in elements, at least 0; 0 only in a and b.
    struct Matrix {
        DType type = DType::f32;
        std::int64_t row = 0, column = 0;
        std::array<std::int64_t, max_batch_rank> batch{}; ///< outermost first
        std::uint32_t alignment = 0; ///< of the first element's address, in bytes: a power of two, 256 at most

        friend bool operator==(const Matrix&, const Matrix&) = default;
    };

    std::int64_t m = 0, n = 0, k = 0;
    Matrix a, b, out;
    bool accumulate = false; ///< else there is no c, and beta is 0
    Matrix c;                ///< of out's type; where it is out's memory, it has its strides
    /// Not 0: so many matrices of each kind, at addresses of their own, without bias and epilogue; c is out, and
    /// batch_rank 0.
    std::int64_t places = 0;
    int batch_rank = 0; ///< axes that could be one are one
    std::array<std::int64_t, max_batch_rank> batch_sizes{};
    Compute compute = Compute::f32;
    bool bias = false;
    std::int64_t bias_stride = 0;
    std::uint32_t bias_alignment = 0;
    Epilogue epilogue = Epilogue::none;
    /// relu may give 0 for NaN. Otherwise a library that does so, or does not say, does not support it.
    bool relu_may_drop_nan = false;
    bool deterministic = false;      ///< the same bits each time: no sum whose order depends on who comes first
    std::size_t workspace_limit = 0; ///< bytes that there are to work in

    friend bool operator==(const MatmulDescription&, const MatmulDescription&) = default;
};

/// What a convolution (a cross-correlation) computes from the other two of its tensors.
enum class Direction : std::uint8_t {
    forward,         ///< result, from image and filter
    backward_data,   ///< the image's gradient, from the result's and filter
    backward_filter, ///< the filter's gradient, from image and the result's gradient
};

struct ConvolutionDescription {
    /// Strides in elements, at least 0; 0 only in what is read.
    struct Tensor {
        DType type = DType::f32;
        std::array<std::int64_t, 4> sizes{}, strides{};
        std::uint32_t alignment = 0; ///< as in MatmulDescription

        friend bool operator==(const Tensor&, const Tensor&) = default;
    };

    Direction direction = Direction::forward;
    Tensor image;  ///< N, C, H, W
    Tensor filter; ///< K, C / groups, R, S
    Tensor result; ///< N, K, and the rows and columns that follow from the rest
    std::array<std::int64_t, 2> stride{1, 1}, dilation{1, 1};       ///< down, across
    std::array<std::int64_t, 2> padding_before{}, padding_behind{}; ///< top, left; bottom, right
    std::int64_t groups = 1;
    Compute compute = Compute::f32;
    bool accumulate = false;    ///< what is in the tensor that is written counts as one more term of each sum
    bool deterministic = false; ///< as in MatmulDescription
    std::size_t workspace_limit = 0;

    friend bool operator==(const ConvolutionDescription&, const ConvolutionDescription&) = default;
};

/// What a device says of a description. Whatever it supports, its queues do, unless memory runs out or the device is
/// lost.
struct VendorSupport {
    std::string_view path; ///< "cublaslt", "cudnn": lives as long as the process; empty: not supported
    std::size_t workspace_bytes = 0;
    std::string reason; ///< why not: half a sentence

    explicit operator bool() const noexcept { return !path.empty(); }
};

/// A tensor's memory.
struct Place {
    std::shared_ptr<Memory> memory;
    std::size_t offset = 0; ///< of the first element, in bytes
};

struct MatmulOperands {
    Place a, b, out, c, bias, workspace; ///< c, bias and workspace: without memory where there is none
    float alpha = 1, beta = 0;
    std::vector<Place> as, bs, outs; ///< `places` of each, in place of a, b and out
};

struct ConvolutionOperands {
    Place image, filter, result, workspace;
};

} // namespace devq::backend
