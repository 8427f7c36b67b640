#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <initializer_list>
#include <span>
#include <vector>

namespace devq::ops {

/// out = in, of one type (any), bits as they are. `in` broadcasts to out's sizes; any strides, so that permuted, sliced
/// and transposed views are copied too. Views may not overlap.
DEVQ_API Placement copy(const Queue& queue, const TensorView& out, const TensorView& in);

/// The inputs one after another along `axis` (negative counts from the end): all of out's type (any) and sizes, but for
/// their sizes along `axis`, which add up to out's. At least one; none may overlap `out`. One copy an input.
DEVQ_API Placement concat(const Queue& queue, const TensorView& out, std::span<const TensorView> inputs, int axis);
inline Placement concat(const Queue& queue, const TensorView& out, std::initializer_list<TensorView> inputs, int axis) {
    return concat(queue, out, std::span(inputs.begin(), inputs.size()), axis);
}

/// Windows of `sizes` along `axis`, one after another: no element is moved. The sizes add up to view's; throws
/// invalid_argument else.
DEVQ_API std::vector<TensorView> split(const TensorView& view, std::span<const std::int64_t> sizes, int axis);
inline std::vector<TensorView> split(const TensorView& view, std::initializer_list<std::int64_t> sizes, int axis) {
    return split(view, std::span(sizes.begin(), sizes.size()), axis);
}

} // namespace devq::ops
