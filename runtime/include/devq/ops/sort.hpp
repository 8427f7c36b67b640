#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <optional>

/// Sorting along one axis: f32, f16, bf16 or i32, every other axis a batch. Stable in both orders: equal elements keep
/// the order they had, the lowest index first. As in PyTorch NaN counts as larger than any number (the last one in
/// ascending order, the first one in descending order), all NaN are equal, and so are -0 and 0; elements move as bits.
/// Indices are i32: an axis of 2³¹ elements or more is refused. Any strides; results overlap neither the input nor each
/// other. The same on every device and in every run. Rows of more than 32 elements take 16 bytes an element of device
/// memory to work in, 256 MiB at a time, or what a single row takes.

namespace devq::ops {

struct SortOptions {
    int axis = -1; ///< negative counts from the end
    bool descending = false;
    /// i32, of in's sizes: where each of the values was.
    std::optional<TensorView> indices = {};
};

/// values = in, sorted. Both of one type and the same sizes.
DEVQ_API Placement sort(const Queue& queue, const TensorView& values, const TensorView& in,
                        const SortOptions& options = {});

/// indices (i32, of in's sizes) = where the elements of the sorted axis are in `in`.
DEVQ_API Placement argsort(const Queue& queue, const TensorView& indices, const TensorView& in, int axis = -1,
                           bool descending = false);

struct TopKOptions {
    int axis = -1;
    bool largest = true; ///< false: the smallest, NaN last
};

/// The first k elements of the sorted axis and their indices (i32), k being values' size along it: the largest first,
/// NaN before all numbers, equal ones by the lowest index. 0 ≤ k ≤ in's size.
DEVQ_API Placement top_k(const Queue& queue, const TensorView& values, const TensorView& indices, const TensorView& in,
                         const TopKOptions& options = {});

} // namespace devq::ops
