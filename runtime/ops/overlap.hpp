#pragma once
#include <devq/tensor.hpp>

namespace devq::detail {

/// Two indices of `view` name the same element. Exact (see overlap.cpp for the one exception).
bool overlaps_itself(const TensorView& view);
/// Some byte belongs to both views, which are of the same buffer.
bool overlap(const TensorView& a, const TensorView& b);
/// Same type, sizes, strides (where they matter) and place; of the same buffer.
bool same_elements(const TensorView& a, const TensorView& b);

} // namespace devq::detail
