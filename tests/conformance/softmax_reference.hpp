#pragma once
/// f64 reference of softmax along an axis, and how far f32 may be off: shared by softmax and cross-entropy.

#include "run.hpp"

namespace devq::conformance {

class SoftmaxRows {
public:
    SoftmaxRows(const Operand& x, std::size_t axis) : x_(x), axis_(axis) {}

    struct Row {
        double max = 0;
        double sum = 0;          ///< Σ exp(x - max)
        double sum_relative = 0; ///< bound of the sum's relative error in f32
    };
    /// Of the row through `index`; kept, so that elements of one row in turn cost one pass.
    const Row& row(Index index);
    /// exp(x - max) / sum at `index`.
    Expected probability(const Index& index);
    /// x - max - log(sum) at `index`.
    Expected logarithm(const Index& index);
    /// Bound of the relative error of exp(x - max) computed in f32.
    double exp_relative(double distance) const noexcept;

private:
    const Operand& x_;
    std::size_t axis_;
    bool have_row_ = false;
    Index row_index_{};
    Row row_;
};

/// The gradients of softmax and log_softmax from g, that of the result, and the result y; rows are kept as above.
class SoftmaxGradient {
public:
    SoftmaxGradient(const Operand& g, const Operand& y, std::size_t axis, bool logarithm)
        : g_(g), y_(y), axis_(axis), logarithm_(logarithm) {}

    Expected operator()(const Index& index);

private:
    const Operand& g_;
    const Operand& y_;
    std::size_t axis_;
    bool logarithm_;
    bool have_row_ = false;
    Index row_index_{};
    double sum_ = 0, magnitude_ = 0; ///< of the terms along the axis
};

} // namespace devq::conformance
