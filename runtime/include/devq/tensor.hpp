#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/dtype.hpp>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace devq {

inline constexpr int max_rank = 8;

/// Up to eight sizes or strides, in elements, ≥ 0; value type, no allocation.
class DEVQ_API Dims {
public:
    Dims() = default;
    /// Throws invalid_argument above max_rank or for a negative value.
    Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
    explicit Dims(std::span<const std::int64_t> values);
    static Dims filled(int rank, std::int64_t value);

    int rank() const noexcept { return rank_; }
    std::int64_t operator[](int i) const noexcept { return values_[static_cast<std::size_t>(i)]; }
    std::int64_t& operator[](int i) noexcept { return values_[static_cast<std::size_t>(i)]; }
    const std::int64_t* begin() const noexcept { return values_.data(); }
    const std::int64_t* end() const noexcept { return values_.data() + rank_; }
    std::string text() const; ///< "[2, 3, 5]"

    friend bool operator==(const Dims& a, const Dims& b) noexcept {
        return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
    }

private:
    std::array<std::int64_t, max_rank> values_{};
    int rank_ = 0;
};

/// Row-major strides of contiguous `sizes`. Throws invalid_argument when the element count does not fit 63 bits.
DEVQ_API Dims row_major(const Dims& sizes);

/// A typed, strided window on a buffer. Does not own the buffer: use after the last Buffer handle is gone throws
/// invalid_argument. Stride 0 repeats an element (inputs only). Rank 0 is one element.
class DEVQ_API TensorView {
public:
    TensorView() = default;
    /// Contiguous from element `offset`. Throws invalid_argument when any element lies outside the buffer.
    TensorView(const Buffer& buffer, DType type, const Dims& sizes, std::int64_t offset = 0);
    TensorView(const Buffer& buffer, DType type, const Dims& sizes, const Dims& strides, std::int64_t offset);

    DType dtype() const noexcept { return type_; }
    int rank() const noexcept { return sizes_.rank(); }
    const Dims& sizes() const noexcept { return sizes_; }
    const Dims& strides() const noexcept { return strides_; }
    std::int64_t size(int axis) const noexcept { return sizes_[axis]; }
    std::int64_t stride(int axis) const noexcept { return strides_[axis]; }
    std::int64_t offset() const noexcept { return offset_; } ///< elements from the buffer's start
    std::int64_t elements() const noexcept;                  ///< product of the sizes
    bool contiguous() const noexcept;                        ///< row-major without gaps
    Buffer buffer() const;                                   ///< throws invalid_argument when the buffer is gone

    /// Other windows on the same memory; each throws invalid_argument for an axis or range outside.
    TensorView transposed(int axis_a, int axis_b) const;
    /// Axis i of the result is this view's axis order[i]: each axis once.
    TensorView permuted(std::initializer_list<int> order) const {
        return permuted(std::span(order.begin(), order.size()));
    }
    TensorView permuted(std::span<const int> order) const;
    /// `length` elements from `start` on, each `step`-th (1 or more).
    TensorView sliced(int axis, std::int64_t start, std::int64_t length, std::int64_t step = 1) const;
    TensorView broadcast_to(const Dims& sizes) const; ///< new leading axes, and size-1 axes, repeat (stride 0)
    TensorView reshaped(const Dims& sizes) const;     ///< contiguous views only
    std::string text() const;                         ///< "f16[2, 3] strides [3, 1] offset 0": for messages

private:
    std::weak_ptr<detail::BufferState> buffer_;
    DType type_ = DType::f32;
    Dims sizes_, strides_;
    std::int64_t offset_ = 0;
};

/// A contiguous tensor that owns its buffer.
class DEVQ_API Tensor {
public:
    Tensor() = default;
    /// Uninitialised.
    Tensor(const Device& device, DType type, const Dims& sizes);

    const Buffer& buffer() const noexcept { return buffer_; }
    const TensorView& view() const noexcept { return view_; }
    operator const TensorView&() const noexcept { return view_; } // NOLINT: a tensor is a view of itself
    DType dtype() const noexcept { return view_.dtype(); }
    const Dims& sizes() const noexcept { return view_.sizes(); }
    std::int64_t elements() const noexcept { return view_.elements(); }
    std::size_t bytes() const noexcept { return buffer_.size(); }

private:
    Buffer buffer_;
    TensorView view_;
};

} // namespace devq
