#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <initializer_list>
#include <span>

namespace devq::ops {

enum class Reduction {
    sum,
    mean,
    max,
    argmax,
    min,
    argmin,
    product,
    norm ///< the square root of the sum of squares; infinite where that sum is more than f32 can hold
};
DEVQ_API std::string_view to_string(Reduction op) noexcept;

/// Reduces `axes` (each once; negative ones count from the end; none: every element is a result of its own) of f32, f16
/// or bf16 `in`. `out` has in's sizes without these axes, or with 1 in their places, and in's type (argmax, argmin:
/// i32, the row-major number among the reduced elements, of which there may be 2^31 - 1). Accumulated in f32.
/// max, min, argmax and argmin propagate NaN (an index: the first NaN, else the first of the best). Over nothing: sum
/// and norm are 0, product is 1; mean, max, min, argmax and argmin throw invalid_argument. Any strides; `out` may not
/// overlap `in`. Where few results have many elements each, these are shared out over groups and put together in a
/// fixed order, for which a small buffer is taken.
DEVQ_API Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in,
                          std::span<const int> axes);
inline Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in,
                        std::initializer_list<int> axes) {
    return reduce(queue, op, out, in, std::span(axes.begin(), axes.size()));
}
inline Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in, int axis) {
    return reduce(queue, op, out, in, std::span(&axis, 1));
}

/// The variance over `axes`, as reduce() takes them: the sum of (x - mean)² divided by the number of elements minus
/// `correction` (1: of a sample; 0: of a whole population); NaN where that is 0 or less. Blocks in two passes, merged
/// by Chan, Golub and LeVeque's rule, in f32: a mean that is large against the variance costs no digits. Over nothing
/// it throws invalid_argument.
DEVQ_API Placement variance(const Queue& queue, const TensorView& out, const TensorView& in, std::span<const int> axes,
                            std::int64_t correction = 1);
inline Placement variance(const Queue& queue, const TensorView& out, const TensorView& in,
                          std::initializer_list<int> axes, std::int64_t correction = 1) {
    return variance(queue, out, in, std::span(axes.begin(), axes.size()), correction);
}

} // namespace devq::ops
