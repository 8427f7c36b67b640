#pragma once
/// How a test tensor lies in its buffer, and how that is said in a case's name.

#include <array>
#include <cstdint>
#include <devq/tensor.hpp>
#include <string>
#include <utility>

namespace devq::conformance {

using Index = std::array<std::int64_t, max_rank>;

struct Layout {
    Dims sizes, strides;
    std::int64_t shift = 0; ///< elements before the first: an odd one breaks every alignment but the element's
    std::string note;       ///< " gap3", " t01", ...: part of the case's name

    std::int64_t elements() const noexcept;
    std::int64_t span() const noexcept; ///< elements from the buffer's first to behind the last that is used
    std::int64_t at(const Index& index) const noexcept;
    std::string text() const; ///< "8x33x5 gap3 off1"; rank 0: "scalar"
};

Layout packed(const Dims& sizes);
/// Rows (the last axis) lie `gap` elements apart.
Layout gapped(const Dims& sizes, std::int64_t gap);
/// Axes a and b swapped in memory: what transposed() gives of a packed tensor.
Layout swapped(const Dims& sizes, int a, int b);
/// Every `step`-th element of the last axis.
Layout stepped(const Dims& sizes, std::int64_t step);
/// Axes marked in `repeated` have stride 0 (inputs only).
Layout repeated(const Dims& sizes, unsigned axes_mask);
/// [image, channel, row, column] as NHWC in memory.
Layout channels_last(const Dims& sizes);
Layout shifted(Layout layout, std::int64_t elements);

/// Calls f(index, linear) for every element in row-major order.
template <class F>
void for_each_index(const Dims& sizes, F&& f) {
    Index index{};
    for (const std::int64_t size : sizes)
        if (size == 0)
            return;
    for (std::int64_t linear = 0;; ++linear) {
        f(std::as_const(index), linear);
        int axis = sizes.rank() - 1;
        for (; axis >= 0; --axis) {
            if (++index[static_cast<std::size_t>(axis)] < sizes[axis])
                break;
            index[static_cast<std::size_t>(axis)] = 0;
        }
        if (axis < 0)
            return;
    }
}

} // namespace devq::conformance
