#pragma once
/// An element of a product of matrices or of a convolution: a sum of products, perhaps a bias and an activation.

#include "judge.hpp"
#include <devq/ops/matmul.hpp>

namespace devq::conformance {

class ProductSum {
public:
    void add(double a, double b);
    void add_bias(double bias); ///< after all products, once
    Expected expected(ops::Activation activation) const;

private:
    void see(double term);

    std::int64_t count_ = 0; ///< products
    double sum_ = 0, terms_ = 0, finite_terms_ = 0;
    double bias_ = 0;
    bool has_bias_ = false, positive_ = false, negative_ = false;
};

} // namespace devq::conformance
