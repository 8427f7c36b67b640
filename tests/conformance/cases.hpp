#pragma once
/// Cases of any layout, for the listed ones (NOUN_cases.cpp) and for random ones (random_test.cpp).

#include "suite.hpp"
#include <devq/ops/elementwise.hpp>
#include <devq/ops/reduce.hpp>

namespace devq::conformance {

Case unary_case(ops::Unary op, DType type, const std::string& shape, const Layout& out, const Layout& in,
                Values values);
/// a and b broadcast to out's sizes by numpy's rules.
Case binary_case(ops::Binary op, DType type, const std::string& shape, const Layout& out, const Layout& left,
                 const Layout& right, Values values);
Case cast_case(DType to, DType from, const std::string& shape, const Layout& out, const Layout& in, Values values);
Case reduce_case(ops::Reduction op, DType type, const std::string& shape, const Layout& out, const Layout& in, int axis,
                 Values values);
Case reduce_case(ops::Reduction op, DType type, const std::string& shape, const Layout& out, const Layout& in,
                 const std::vector<int>& axes, Values values);
Case variance_case(DType type, const std::string& shape, const Layout& out, const Layout& in,
                   const std::vector<int>& axes, std::int64_t correction, Values values);
Case softmax_case(DType type, const std::string& shape, const Layout& out, const Layout& in, int axis, Values values);
/// a[..., m, k] · b[..., k, n]; leading axes broadcast.
Case matmul_case(DType type, const std::string& shape, const Layout& out, const Layout& left, const Layout& right);

/// `index` of a result where `sizes`, which broadcast to the result's `rank` axes, has its element.
Index broadcast_index(const Index& index, int rank, const Dims& sizes);

} // namespace devq::conformance
