#include "product_reference.hpp"
#include "suite.hpp"
#include <devq/ops/conv2d.hpp>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

using ops::Activation;

/// How the tensors lie: NCHW or NHWC, gaps behind rows, an odd first element.
enum class Order { nchw, nhwc };

struct Sizes {
    std::int64_t images, channels, height, width; ///< input
    std::int64_t filters, rows, columns;          ///< of a filter
};

struct Shape {
    Sizes of;
    std::int64_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
    ops::Padding2d padding{};
    std::int64_t groups = 1;
    bool bias = false;
    Activation activation = Activation::none;
    Order order = Order::nchw;
    std::int64_t gap = 0, shift = 0;
    Values values = Values::unit; ///< of all but the filters
    const char* note = "";

    std::int64_t out_height() const {
        return out(of.height, padding.top + padding.bottom, dilation_y, of.rows, stride_y);
    }
    std::int64_t out_width() const {
        return out(of.width, padding.left + padding.right, dilation_x, of.columns, stride_x);
    }
    Dims in_sizes() const { return {of.images, of.channels, of.height, of.width}; }
    Dims filter_sizes() const { return {of.filters, of.channels / groups, of.rows, of.columns}; }
    Dims out_sizes() const { return {of.images, of.filters, out_height(), out_width()}; }

    Layout place(const Dims& sizes) const {
        Layout layout = order == Order::nhwc ? channels_last(sizes) : gap > 0 ? gapped(sizes, gap) : packed(sizes);
        return shift > 0 ? shifted(layout, shift) : layout;
    }
    ops::Conv2dGeometry geometry() const {
        return {
            .stride = {stride_y, stride_x}, .dilation = {dilation_y, dilation_x}, .padding = padding, .groups = groups};
    }

    std::string text() const {
        std::string text = fmt::format("{}x{}x{}x{} f{} {}x{}", of.images, of.channels, of.height, of.width, of.filters,
                                       of.rows, of.columns);
        if (stride_y != 1 || stride_x != 1)
            text += fmt::format(" stride {},{}", stride_y, stride_x);
        if (dilation_y != 1 || dilation_x != 1)
            text += fmt::format(" dilation {},{}", dilation_y, dilation_x);
        if (padding.top + padding.bottom + padding.left + padding.right > 0)
            text += fmt::format(" pad {},{},{},{}", padding.top, padding.bottom, padding.left, padding.right);
        if (groups != 1)
            text += fmt::format(" groups {}", groups);
        if (bias)
            text += " bias";
        if (activation != Activation::none)
            text += fmt::format(" {}", ops::to_string(activation));
        return text + (order == Order::nhwc ? " nhwc" : "") + (gap > 0 ? fmt::format(" gap{}", gap) : "") +
               (shift > 0 ? fmt::format(" off{}", shift) : "") + note;
    }

private:
    static std::int64_t out(std::int64_t size, std::int64_t padding, std::int64_t dilation, std::int64_t filter,
                            std::int64_t stride) {
        return (size + padding - dilation * (filter - 1) - 1) / stride + 1;
    }
};

/// What an output element sees of one input channel: visit(input row, input column, filter row, filter column, whether
/// that is padding).
template <class F>
void each_tap(const Shape& s, std::int64_t y, std::int64_t x, F&& visit) {
    for (std::int64_t ky = 0; ky < s.of.rows; ++ky)
        for (std::int64_t kx = 0; kx < s.of.columns; ++kx) {
            const std::int64_t in_y = y * s.stride_y + ky * s.dilation_y - s.padding.top;
            const std::int64_t in_x = x * s.stride_x + kx * s.dilation_x - s.padding.left;
            visit(in_y, in_x, ky, kx, in_y < 0 || in_y >= s.of.height || in_x < 0 || in_x >= s.of.width);
        }
}

/// Calls visit(output, input, filter, padding) for every product of the convolution; `input` means nothing on padding.
template <class F>
void each_product(const Shape& s, F&& visit) {
    for_each_index(s.out_sizes(), [&](const Index& at, std::int64_t) {
        const std::int64_t of_group = s.of.channels / s.groups, first = at[1] / (s.of.filters / s.groups) * of_group;
        for (std::int64_t c = 0; c < of_group; ++c)
            each_tap(s, at[2], at[3],
                     [&](std::int64_t y, std::int64_t x, std::int64_t ky, std::int64_t kx, bool padding) {
                         visit(at, Index{at[0], first + c, y, x}, Index{at[1], c, ky, kx}, padding);
                     });
    });
}

/// The sums of a result.
class Sums {
public:
    explicit Sums(const Dims& sizes)
        : strides_(row_major(sizes)), sums_(static_cast<std::size_t>(packed(sizes).elements())) {}
    ProductSum& operator()(const Index& at) {
        std::int64_t element = 0;
        for (int axis = 0; axis < strides_.rank(); ++axis)
            element += at[static_cast<std::size_t>(axis)] * strides_[axis];
        return sums_[static_cast<std::size_t>(element)];
    }

private:
    Dims strides_;
    std::vector<ProductSum> sums_;
};

void add_forward(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back({"conv2d", std::string(to_string(type)), s.text(), [=](Run& run) {
                         const Operand& in = run.input(type, s.place(s.in_sizes()), s.values, "in");
                         const Operand& weights = run.input(type, s.place(s.filter_sizes()), Values::unit, "weights");
                         const Operand& bias = run.input(type, packed({s.of.filters}), Values::unit, "bias");
                         const Operand& out = run.output(type, s.place(s.out_sizes()));
                         ops::Conv2dOptions options{s.geometry()};
                         if (s.bias)
                             options.bias = bias.view();
                         options.activation = s.activation;
                         run.ran(ops::conv2d(run.queue(), out.view(), in.view(), weights.view(), options));
                         Sums sums(s.out_sizes());
                         each_product(s, [&](const Index& o, const Index& i, const Index& w, bool padding) {
                             sums(o).add(weights(w), padding ? 0 : in(i));
                         });
                         run.judge(out, [&](const Index& at, std::int64_t) {
                             if (s.bias)
                                 sums(at).add_bias(bias({at[1]}));
                             return sums(at).expected(s.activation);
                         });
                     }});
}

void add_backward_data(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back(
        {"conv2d_backward_data", std::string(to_string(type)), s.text(), [=](Run& run) {
             const Operand& out = run.input(type, s.place(s.out_sizes()), s.values, "out_gradient");
             const Operand& weights = run.input(type, s.place(s.filter_sizes()), Values::unit, "weights");
             const Operand& in = run.output(type, s.place(s.in_sizes()), "in_gradient");
             run.ran(ops::conv2d_backward_data(run.queue(), in.view(), out.view(), weights.view(), s.geometry()));
             Sums sums(s.in_sizes());
             each_product(s, [&](const Index& o, const Index& i, const Index& w, bool padding) {
                 if (!padding)
                     sums(i).add(weights(w), out(o));
             });
             run.judge(in, [&](const Index& at, std::int64_t) { return sums(at).expected(Activation::none); });
         }});
}

void add_backward_filter(std::vector<Case>& cases, DType type, const Shape& s) {
    cases.push_back(
        {"conv2d_backward_filter", std::string(to_string(type)), s.text(), [=](Run& run) {
             const Operand& in = run.input(type, s.place(s.in_sizes()), Values::unit, "in");
             const Operand& out = run.input(type, s.place(s.out_sizes()), s.values, "out_gradient");
             const Operand& weights = run.output(type, s.place(s.filter_sizes()), "weights_gradient");
             run.ran(ops::conv2d_backward_filter(run.queue(), weights.view(), in.view(), out.view(), s.geometry()));
             Sums sums(s.filter_sizes());
             each_product(s, [&](const Index& o, const Index& i, const Index& w, bool padding) {
                 sums(w).add(padding ? 0 : in(i), out(o));
             });
             run.judge(weights, [&](const Index& at, std::int64_t) { return sums(at).expected(Activation::none); });
         }});
}

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    add_forward(cases, type, s);
    if (!s.bias && s.activation == Activation::none) {
        add_backward_data(cases, type, s);
        add_backward_filter(cases, type, s);
    }
}

} // namespace

void add_conv2d_cases(std::vector<Case>& cases) {
    const ops::Padding2d around{1, 1, 1, 1}, uneven{2, 0, 1, 3};
    for (const DType type : storage_types) {
        const auto with = [&](const Shape& shape) { add(cases, type, shape); };
        with({.of = {1, 1, 1, 1, 1, 1, 1}});
        with({.of = {2, 3, 8, 8, 4, 3, 3}, .padding = around});
        with({.of = {1, 16, 14, 14, 32, 3, 3}, .padding = around});
        with({.of = {1, 3, 33, 35, 8, 5, 5}});
        with({.of = {2, 5, 9, 40, 7, 1, 1}});
        with({.of = {1, 4, 19, 23, 6, 3, 3}, .stride_y = 2, .stride_x = 2, .padding = around});
        with({.of = {1, 2, 17, 29, 3, 4, 2}, .stride_y = 3, .stride_x = 2, .padding = uneven});
        with({.of = {1, 3, 20, 21, 5, 3, 3}, .dilation_y = 2, .dilation_x = 3, .padding = uneven});
        with({.of = {2, 3, 15, 18, 4, 3, 5},
              .stride_y = 2,
              .stride_x = 3,
              .dilation_y = 2,
              .dilation_x = 2,
              .padding = {3, 4, 5, 2}});
        with({.of = {1, 6, 12, 13, 9, 3, 3}, .padding = around, .groups = 3});
        with({.of = {2, 8, 10, 17, 8, 3, 3}, .padding = around, .groups = 8, .note = " depthwise"});
        with({.of = {1, 4, 9, 9, 8, 3, 3}, .stride_y = 2, .stride_x = 2, .groups = 4});
        with({.of = {2, 6, 11, 19, 10, 3, 3}, .padding = around, .order = Order::nhwc});
        with({.of = {1, 4, 13, 16, 6, 3, 3},
              .stride_y = 2,
              .stride_x = 1,
              .padding = uneven,
              .groups = 2,
              .order = Order::nhwc});
        with({.of = {2, 3, 9, 21, 5, 3, 3}, .padding = around, .gap = 3, .shift = 1});
        with({.of = {1, 2, 7, 37, 3, 1, 7}, .padding = {0, 0, 3, 3}});
        with({.of = {1, 2, 37, 7, 3, 7, 1}, .padding = {3, 3, 0, 0}});
        with({.of = {1, 2, 3, 4, 3, 5, 6}, .padding = {2, 2, 2, 3}});      // a filter larger than the image
        with({.of = {1, 2, 5, 6, 3, 2, 2}, .stride_y = 4, .stride_x = 5}); // some inputs touch no output
        with({.of = {0, 3, 8, 8, 4, 3, 3}});
        with({.of = {2, 0, 6, 7, 4, 3, 3}});
        with({.of = {2, 3, 6, 7, 0, 3, 3}});
        with({.of = {1, 3, 12, 18, 5, 3, 3}, .padding = around, .values = Values::special, .note = " special"});
        with({.of = {1, 3, 12, 18, 5, 3, 3},
              .stride_y = 2,
              .padding = around,
              .values = Values::nearly,
              .note = " denormal"});
        for (const Activation activation :
             {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
            with({.of = {1, 5, 11, 14, 37, 3, 3}, .padding = around, .bias = true, .activation = activation});
            with({.of = {1, 4, 9, 9, 6, 3, 3},
                  .groups = 2,
                  .bias = true,
                  .activation = activation,
                  .order = Order::nhwc});
        }
        with({.of = {2, 0, 6, 7, 4, 3, 3}, .bias = true, .activation = Activation::relu});
        // More channels than a block has rows.
        with({.of = {1, 3, 9, 9, 300, 3, 3}, .bias = true});
        with({.of = {1, 8, 9, 9, 140, 3, 3}, .groups = 2, .bias = true});
        with({.of = {1, 270, 5, 6, 3, 3, 3}, .padding = around});
    }
}

} // namespace devq::conformance
