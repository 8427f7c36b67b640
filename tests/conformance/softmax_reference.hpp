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
    /// Bound of the relative error of exp(x - max) computed in f32.
    double exp_relative(double distance) const noexcept;

private:
    const Operand& x_;
    std::size_t axis_;
    bool have_row_ = false;
    Index row_index_{};
    Row row_;
};

} // namespace devq::conformance
