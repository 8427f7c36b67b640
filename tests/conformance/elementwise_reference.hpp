#pragma once
/// What an element of unary() and binary() should be, in f64.

#include "judge.hpp"
#include <devq/ops/elementwise.hpp>

namespace devq::conformance {

Expected expect(ops::Unary op, double x);
Expected expect(ops::Binary op, double a, double b);
/// Values within the operation's domain.
Values domain(ops::Unary op);

inline constexpr int unary_count = static_cast<int>(ops::Unary::is_finite) + 1;
inline constexpr int binary_count = static_cast<int>(ops::Binary::logical_xor) + 1;
/// 1 or 0, which may go to bytes.
constexpr bool gives_truth(ops::Unary op) { return op >= ops::Unary::logical_not; }
constexpr bool gives_truth(ops::Binary op) { return op >= ops::Binary::equal; }

} // namespace devq::conformance
