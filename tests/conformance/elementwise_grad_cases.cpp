#include "elementwise_reference.hpp"
#include "grad.hpp"
#include <devq/ops/elementwise.hpp>

namespace devq::conformance {

namespace {

using ops::Binary;

double forward(Binary op, double x) {
    switch (op) {
    case Binary::sigmoid_backward:
        return 1 / (1 + std::exp(-x));
    case Binary::tanh_backward:
        return std::tanh(x);
    case Binary::silu_backward:
        return x / (1 + std::exp(-x));
    case Binary::gelu_backward:
        return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    default:
        return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    }
}

/// Sigmoid's and tanh's take what the forward function gave, rounded: by how much that moves the gradient.
double moved_by_rounding(Binary op, DType type, double gradient, double y) {
    const double slope = op == Binary::tanh_backward ? 2 * std::fabs(y) : std::fabs(1 - 2 * y) + std::fabs(y) * 0x1p-7;
    return std::fabs(gradient) * slope * std::fabs(y) * format_of(type).unit_roundoff();
}

void add_smooth(std::vector<Case>& cases, Binary op, DType type, const Layout& layout) {
    cases.push_back(
        {std::string(ops::to_string(op)), std::string(to_string(type)), layout.text(), [=](Run& run) {
             const bool of_result = op == Binary::sigmoid_backward || op == Binary::tanh_backward;
             const Operand& x = run.input(
                 type, layout, [&](const Index&) { return 4 * draw(run.random(), Values::unit, type); }, "x");
             const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
             const Operand& second =
                 of_result ? run.input(
                                 type, layout, [&](const Index& i) { return forward(op, x(i)); }, "result")
                           : x;
             const Operand& dx = run.output(type, layout, "gradient");
             run.ran(ops::binary(run.queue(), op, dx.view(), g.view(), second.view()));
             judge_gradient(
                 run, dx, x,
                 [&](const Point& at, LossSum& loss) {
                     for_each_index(layout.sizes,
                                    [&](const Index& i, std::int64_t) { loss.add(g(i) * forward(op, at(x, i))); });
                 },
                 [&](const Index& i, double) {
                     return expect(op, g(i), second(i)).arithmetic +
                            (of_result ? moved_by_rounding(op, type, g(i), second(i)) : 0);
                 });
         }});
}

} // namespace

void add_elementwise_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const Binary op : {Binary::sigmoid_backward, Binary::tanh_backward, Binary::silu_backward,
                                Binary::gelu_backward, Binary::gelu_tanh_backward})
            for (const Layout& layout : {packed({131}), swapped({7, 13}, 0, 1)})
                add_smooth(cases, op, type, layout);
    for (const DType type : storage_types)
        for (const double slope : {0.01, -1.5})
            cases.push_back(
                {"leaky_relu_backward", std::string(to_string(type)), slope < 0 ? "131 by -1.5" : "131 by 0.01",
                 [=](Run& run) {
                     const Operand& x = run.input(
                         type, packed({131}), [&](const Index&) { return draw_away_from_zero(run.random()); }, "x");
                     const Operand& g = run.input(type, packed({131}), Values::unit, "out_gradient");
                     const Operand& dx = run.output(type, packed({131}), "gradient");
                     run.ran(ops::leaky_relu_backward(run.queue(), dx.view(), g.view(), x.view(), slope));
                     judge_gradient(
                         run, dx, x,
                         [&](const Point& at, LossSum& loss) {
                             for_each_index(x.sizes(), [&](const Index& i, std::int64_t) {
                                 loss.add(g(i) * (at(x, i) > 0 ? at(x, i) : static_cast<float>(slope) * at(x, i)));
                             });
                         },
                         [&](const Index&, double numeric) { return 0x1p-24 * std::fabs(numeric); });
                 }});
    for (const DType type : storage_types)
        for (const Layout& layout : {packed({131}), swapped({7, 13}, 0, 1), shifted(gapped({5, 9}, 3), 1)})
            cases.push_back(
                {"relu_backward", std::string(to_string(type)), layout.text(), [=](Run& run) {
                     const Operand& x = run.input(
                         type, layout, [&](const Index&) { return draw_away_from_zero(run.random()); }, "x");
                     const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
                     const Operand& dx = run.output(type, layout, "gradient");
                     run.ran(ops::binary(run.queue(), ops::Binary::relu_backward, dx.view(), g.view(), x.view()));
                     judge_gradient(
                         run, dx, x,
                         [&](const Point& at, LossSum& loss) {
                             for_each_index(layout.sizes, [&](const Index& i, std::int64_t) {
                                 loss.add(g(i) * std::fmax(at(x, i), 0));
                             });
                         },
                         [](const Index&, double) { return 0.0; });
                 }});
}

} // namespace devq::conformance
