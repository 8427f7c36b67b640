#include "bounds.hpp"
#include "grad.hpp"
#include <devq/ops/conv2d.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    Dims in, weights; ///< [image, channel, row, column], [filter, channel of the group, row, column]
    ops::Conv2dGeometry geometry{};
    bool nhwc = false;
    bool of_weights = false; ///< whose gradient
    const char* note = "";

    std::string text() const {
        return fmt::format("{} f{}{}{}", packed(in).text(), packed(weights).text(), note, nhwc ? " nhwc" : "");
    }
    Layout place(const Dims& sizes) const { return nhwc ? channels_last(sizes) : packed(sizes); }
    std::int64_t out(std::size_t axis, std::int64_t padding) const {
        const int a = static_cast<int>(axis) + 2;
        return (in[a] + padding - geometry.dilation[axis] * (weights[a] - 1) - 1) / geometry.stride[axis] + 1;
    }
    Dims out_sizes() const {
        const ops::Padding2d& p = geometry.padding;
        return {in[0], weights[0], out(0, p.top + p.bottom), out(1, p.left + p.right)};
    }
};

/// Calls visit(output, input, weight) for every product of the convolution that touches the image.
template <class F>
void each_product(const Shape& s, F&& visit) {
    for_each_index(s.out_sizes(), [&](const Index& o, std::int64_t) {
        for_each_index({s.weights[1], s.weights[2], s.weights[3]}, [&](const Index& tap, std::int64_t) {
            const std::int64_t group = o[1] / (s.weights[0] / s.geometry.groups);
            const Index i{o[0], group * s.weights[1] + tap[0],
                          o[2] * s.geometry.stride[0] + tap[1] * s.geometry.dilation[0] - s.geometry.padding.top,
                          o[3] * s.geometry.stride[1] + tap[2] * s.geometry.dilation[1] - s.geometry.padding.left};
            if (i[2] >= 0 && i[2] < s.in[2] && i[3] >= 0 && i[3] < s.in[3])
                visit(o, i, Index{o[1], tap[0], tap[1], tap[2]});
        });
    });
}

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    const char* const op = s.of_weights ? "conv2d_backward_filter" : "conv2d_backward_data";
    cases.push_back(
        {op, std::string(to_string(type)), s.text(), [=](Run& run) {
             const Operand& in = run.input(type, s.place(s.in), Values::unit, "in");
             const Operand& weights = run.input(type, s.place(s.weights), Values::unit, "weights");
             const Operand& g = run.input(type, s.place(s.out_sizes()), Values::unit, "out_gradient");
             const Operand& by = s.of_weights ? weights : in;
             const Operand& gradient = run.output(type, s.place(by.sizes()), "gradient");
             if (s.of_weights)
                 run.ran(ops::conv2d_backward_filter(run.queue(), gradient.view(), in.view(), g.view(), s.geometry));
             else
                 run.ran(ops::conv2d_backward_data(run.queue(), gradient.view(), g.view(), weights.view(), s.geometry));
             // Products of each element, for its bound: as many roundings as there are taps, those on padding included.
             const double taps = static_cast<double>(s.of_weights ? packed(s.out_sizes()).elements() / s.weights[0]
                                                                  : packed(s.weights).elements() / s.weights[1]);
             judge_gradient(
                 run, gradient, by,
                 [&](const Point& at, LossSum& loss) {
                     each_product(s, [&](const Index& o, const Index& i, const Index& w) {
                         loss.add(g(o) * at(in, i) * at(weights, w));
                     });
                 },
                 [&](const Index& index, double) {
                     double terms = 0;
                     each_product(s, [&](const Index& o, const Index& i, const Index& w) {
                         if ((s.of_weights ? w : i) == index)
                             terms += std::fabs(g(o) * (s.of_weights ? in(i) : weights(w)));
                     });
                     return gamma(taps) * terms;
                 });
         }});
}

} // namespace

void add_conv2d_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const bool of_weights : {false, true}) {
            const auto with = [&](Shape shape) {
                shape.of_weights = of_weights;
                add(cases, type, shape);
            };
            with({.in = {1, 1, 3, 4}, .weights = {1, 1, 2, 2}});
            with({.in = {2, 2, 5, 4}, .weights = {3, 2, 3, 3}, .geometry = {.padding = {1, 1, 1, 1}}, .note = " pad"});
            with({.in = {1, 2, 7, 8},
                  .weights = {2, 2, 3, 2},
                  .geometry = {.stride = {2, 3}, .padding = {2, 0, 1, 3}},
                  .nhwc = true,
                  .note = " stride 2,3 pad 2,0,1,3"});
            with({.in = {1, 4, 7, 6},
                  .weights = {4, 2, 2, 3},
                  .geometry = {.dilation = {2, 1}, .groups = 2},
                  .note = " dilation 2,1 groups 2"});
            with({.in = {1, 3, 6, 5},
                  .weights = {3, 1, 3, 3},
                  .geometry = {.padding = {1, 1, 1, 1}, .groups = 3},
                  .note = " pad depthwise"});
        }
}

} // namespace devq::conformance
