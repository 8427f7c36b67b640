#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

/// out = a where `condition` is not 0 (±0 of floating types; NaN is not), else b: a, b and out of one type (any), bits
/// as they are; `condition` u8 or of out's type. All broadcast to out's sizes; any strides. In place where out is the
/// same view as a or b, or as a condition of its type.
DEVQ_API Placement where(const Queue& queue, const TensorView& out, const TensorView& condition, const TensorView& a,
                         const TensorView& b);

} // namespace devq::ops
