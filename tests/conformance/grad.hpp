#pragma once
/// Grad mode: a gradient that the device computed, against central differences in f64 of a host's forward function.
///
/// To add the backward of an operation: a function add_NOUN_grad_cases() (in NOUN_cases.cpp or NOUN_grad_cases.cpp),
/// declared below and called in all_grad_cases(). A case looks like any other, and ends in judge_gradient():
///
///     cases.push_back({"softmax_backward", std::string(to_string(type)), "5x33", [=](Run& run) {
///         const Operand& x = run.input(type, layout, Values::unit, "x");           // what is differentiated by
///         const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
///         const Operand& dx = run.output(type, layout, "gradient");
///         run.ran(ops::softmax_backward(run.queue(), dx.view(), …));
///         judge_gradient(run, dx, x,
///             [&](const Point& at, LossSum& loss) {                                // forward only, all in f64
///                 for each output i: loss.add(g(i) * softmax of at(x, …) at i);
///             },
///             [&](const Index& i, double numeric) { return bound of f32's error at i; }); // as Expected::arithmetic
///     }});
///
/// Rules:
/// - The loss is written from the definition of the forward operation and knows nothing of its backward: that is what
///   the mode is for. Operands that are differentiated are read as at(x, index); others, and constants, directly.
/// - Each term goes through add() by itself: a sum of a sum has no known rounding error.
/// - The bound is that of docs/accuracy.md for the backward, the same as in the operation's cases of mode test.
/// - Values stay away from kinks (relu at 0, ties of a maximum) by more than the step: draw_away_from_zero(), or
///   distinct values. A kink within the step is seen, and fails the case as "not smooth".
/// - Where the backward takes something saved by the forward (a softmax, a mean), give it what the host computes in
/// f64,
///   rounded to its type, and add to the bound what that rounding moves.
/// - Sizes stay below some 500 elements: each element costs six evaluations of the whole loss.

#include "suite.hpp"
#include <cmath>
#include <stdexcept>
#include <vector>

namespace devq::conformance {

/// The host's inputs, one element of one operand moved.
class Point {
public:
    double operator()(const Operand& operand, const Index& index) const noexcept {
        const double value = operand(index);
        return &operand == moved_ && index == index_ ? value + by_ : value;
    }

private:
    friend class Differences;
    const Operand* moved_ = nullptr;
    Index index_{};
    double by_ = 0;
};

/// A sum in f64 whose own rounding error is known: compensated (Neumaier), so that it does not grow with the terms.
class LossSum {
public:
    void add(double term) noexcept {
        const double sum = sum_ + term;
        lost_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
        sum_ = sum;
        size_ += std::fabs(term);
    }
    double value() const noexcept { return sum_ + lost_; }
    /// Bound of the error of value(): each term's own evaluation within 16 roundings, and the sum.
    double error() const noexcept { return 18 * 0x1p-53 * size_; }

private:
    double sum_ = 0, lost_ = 0, size_ = 0;
};

struct Derivative {
    double value = 0;
    double error = 0; ///< bound: what the step left over (from steps of several lengths), and rounding
};

/// Central differences with steps h, h/2 and h/4, twice extrapolated (Richardson), of any loss(Point, LossSum&).
class Differences {
public:
    explicit Differences(double step) noexcept : step_(step) {}

    template <class Loss>
    Derivative operator()(const Operand& input, const Index& index, Loss&& loss) const {
        double error = 0;
        const auto slope = [&](double h) {
            Point point;
            point.moved_ = &input;
            point.index_ = index;
            double value[2];
            for (const int side : {0, 1}) {
                point.by_ = side == 0 ? h : -h;
                LossSum sum;
                loss(std::as_const(point), sum);
                value[side] = sum.value();
                error = std::max(error, sum.error());
            }
            return (value[0] - value[1]) / (2 * h);
        };
        const double wide = slope(step_), middle = slope(step_ / 2), narrow = slope(step_ / 4);
        return extrapolate(wide, middle, narrow, error);
    }

private:
    Derivative extrapolate(double wide, double middle, double narrow, double error) const noexcept;
    double step_;
};

/// Throws what is wrong with derivatives that can prove nothing: not smooth at the step, or zero everywhere. `largest`
/// is the largest of them all.
void require_sharp(const Derivative& derivative, double largest, const Expected& expected, const Format& format);
void require_nonzero(double largest);

/// Judges every element of `gradient`, which has input's sizes, against the derivative of `loss` by that element of
/// `input`. `bound(index, derivative)` is the error that f32 arithmetic may have there, before the result is rounded.
template <class Loss, class Bound>
void judge_gradient(Run& run, const Operand& gradient, const Operand& input, Loss&& loss, Bound&& bound,
                    double step = 0x1p-5) {
    const Differences differences(step);
    std::vector<Derivative> derivatives;
    double largest = 0;
    for_each_index(input.sizes(), [&](const Index& index, std::int64_t) {
        derivatives.push_back(differences(input, index, loss));
        largest = std::max(largest, std::fabs(derivatives.back().value));
    });
    if (derivatives.empty() || gradient.sizes() != input.sizes())
        throw std::logic_error("a grad case needs a gradient and an input of the same sizes, with elements");
    require_nonzero(largest);
    run.judge(gradient, [&](const Index& index, std::int64_t linear) {
        const Derivative& derivative = derivatives[static_cast<std::size_t>(linear)];
        Expected expected{derivative.value, bound(index, derivative.value)};
        require_sharp(derivative, largest, expected, format_of(gradient.type()));
        expected.arithmetic += derivative.error;
        return expected;
    });
}

/// ±[1/4, 1): for operands of functions with a kink at 0.
double draw_away_from_zero(Random& random) noexcept;

/// What the files NOUN_cases.cpp and NOUN_grad_cases.cpp add.
void add_elementwise_grad_cases(std::vector<Case>& cases);
void add_matmul_grad_cases(std::vector<Case>& cases);
void add_conv2d_grad_cases(std::vector<Case>& cases);
void add_batch_norm_grad_cases(std::vector<Case>& cases);
void add_cross_entropy_grad_cases(std::vector<Case>& cases);
void add_random_grad_cases(std::vector<Case>& cases);
void add_scatter_grad_cases(std::vector<Case>& cases);
void add_softmax_grad_cases(std::vector<Case>& cases);
void add_mse_grad_cases(std::vector<Case>& cases);
void add_attention_grad_cases(std::vector<Case>& cases);

} // namespace devq::conformance
