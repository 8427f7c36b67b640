#pragma once
/// An element of a product of matrices or of a convolution: a sum of products, perhaps scaled, with something added, a
/// bias and an activation.

#include "judge.hpp"
#include <devq/ops/matmul.hpp>

namespace devq::conformance {

class ProductSum {
public:
    void add(double a, double b);
    void scale(double alpha);               ///< after all products, once: alpha · sum
    void add_scaled(double beta, double c); ///< after that, once: + beta · c, with beta not 0
    void add_bias(double bias);             ///< after that, once
    Expected expected(ops::Activation activation) const;

private:
    void see(double term);

    std::int64_t count_ = 0; ///< products
    double sum_ = 0, terms_ = 0, finite_terms_ = 0;
    double alpha_ = 1, added_ = 0, bias_ = 0;
    bool has_added_ = false, has_bias_ = false, positive_ = false, negative_ = false;
};

} // namespace devq::conformance
