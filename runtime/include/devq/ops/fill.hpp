#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// Sets every element of `out` (any strides but 0; any dtype) to `value`, converted to its type (round to nearest even
/// for floating types; must be representable in integer ones).
/// Asynchronous; throws invalid_argument at the call for a bad view.
DEVQ_API Placement fill(const Queue& queue, const TensorView& out, double value);

} // namespace devq::ops
