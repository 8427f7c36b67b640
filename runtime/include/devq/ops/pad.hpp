#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// What lies around `in`.
enum class Padding {
    constant,
    reflect,   ///< mirrored at the outermost elements, which are not repeated: less than in's size on each side
    replicate, ///< the outermost elements again and again
    circular   ///< in again: at most in's size on each side
};
DEVQ_API std::string_view to_string(Padding mode) noexcept;

/// Puts `in` into `out`, of one type (any), `before[d]` elements from the start of each axis d; the rest of `out`,
/// before and behind, is padding: `value` (converted as by fill) or in's own elements. Any strides; out may not overlap
/// in. `in` without elements: constant padding only.
DEVQ_API Placement pad(const Queue& queue, const TensorView& out, const TensorView& in, const Dims& before,
                       Padding mode = Padding::constant, double value = 0);

} // namespace devq::ops
