#pragma once
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>

namespace devq::ops {

enum class Reduction { sum, mean, max, argmax };
DEVQ_API std::string_view to_string(Reduction op) noexcept;

/// Reduces `axis` (negative counts from the end) of f32, f16 or bf16 `in`; `out` has in's sizes without that axis, in's
/// type (argmax: i32). Accumulated in f32. max and argmax propagate NaN (argmax: the first NaN, else the first
/// maximum). Over nothing: sum is 0; mean, max and argmax throw invalid_argument.
DEVQ_API Placement reduce(const Queue& queue, Reduction op, const TensorView& out, const TensorView& in, int axis);

} // namespace devq::ops
