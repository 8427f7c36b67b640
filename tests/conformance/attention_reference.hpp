#pragma once
/// f64 reference of attention and its gradients, and how far f32 may be off: docs/accuracy.md says why.

#include "run.hpp"
#include <devq/ops/attention.hpp>
#include <vector>

namespace devq::conformance {

struct AttentionProblem {
    const Operand *q = nullptr, *k = nullptr, *v = nullptr, *mask = nullptr;
    float scale = 1;
    ops::Causal causal = ops::Causal::none;

    std::int64_t size(const Operand& operand, int axis) const { return operand.sizes()[axis]; }
    std::int64_t batch() const { return size(*q, 0); }
    std::int64_t heads() const { return size(*q, 1); }
    std::int64_t queries() const { return size(*q, 2); }
    std::int64_t keys() const { return size(*k, 2); }
    std::int64_t head_dim() const { return size(*q, 3); }
    std::int64_t value_dim() const { return size(*v, 3); }
    std::int64_t shared() const { return heads() / size(*k, 1); } ///< query heads for each of k's
    /// May query i see key j, as far as causal says?
    bool visible(std::int64_t i, std::int64_t j) const;
    /// The mask at a place: what is added; a u8 mask adds 0 or hides.
    double added(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
    bool hidden(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
};

class AttentionReference {
public:
    explicit AttentionReference(const AttentionProblem& problem) : p_(problem) {}

    Expected out(const Index& at);
    Expected log_sum_exp(const Index& at);

    struct Score {
        double value, error; ///< error: of f32, absolute
    };
    Score score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;

private:
    /// Of the row through `at`; kept, so that elements of one row in turn cost one pass.
    void take_row(const Index& at);

    AttentionProblem p_;
    bool have_row_ = false;
    Index row_index_{};
    std::vector<double> weights_, relative_; ///< exp(score - max), and the relative error of each in f32
    double max_ = 0, sum_ = 0, sum_relative_ = 0;
    bool nothing_ = false; ///< all scores are -inf
};

/// From the inputs of attention_backward as they were stored, out and log_sum_exp among them.
class AttentionGradientReference {
public:
    /// `saved_rounded`: the errors cover what the rounding of out and log_sum_exp moves, too.
    AttentionGradientReference(const AttentionProblem& problem, const Operand& out_gradient, const Operand& out,
                               const Operand& log_sum_exp, bool saved_rounded = false);
    Expected of_q(const Index& at) const;
    Expected of_k(const Index& at) const;
    Expected of_v(const Index& at) const;

private:
    struct Weight {
        double p, p_error, slope, slope_error; ///< slope: p · (g · v - delta)
    };
    const Weight& weight(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;

    AttentionProblem p_;
    const Operand& g_;
    std::vector<Weight> weights_;
};

} // namespace devq::conformance
