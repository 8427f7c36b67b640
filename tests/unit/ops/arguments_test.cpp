#include "refused.hpp"
#include <devq/error.hpp>
#include <devq/ops.hpp>
#include <doctest/doctest.h>
#include <limits>

using namespace devq;
using ops_test::fake;
using ops_test::Fake;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "what every operation asks of its views") {
    const Tensor a = f32({4, 6}), out = f32({4, 6});
    refused(made, "unary", {"empty handle"}, [&] { ops::unary(Queue(), ops::Unary::exp, out, a); });
    refused(made, "unary", {"in has no memory"}, [&] { ops::unary(queue, ops::Unary::exp, out, TensorView()); });
    TensorView gone;
    {
        const Tensor short_lived = f32({4, 6});
        gone = short_lived.view();
    }
    refused(made, "unary", {"out has no memory", "gone"}, [&] { ops::unary(queue, ops::Unary::exp, gone, a); });
    Fake other = fake("opencl-cpu", 16, 4096);
    refused(other, "unary", {"out is on fake:0"}, [&] { ops::unary(other.queue, ops::Unary::exp, out, a); });
    refused(made, "unary", {"f32[4, 6]", "f16[4, 6]", "types differ", "cast"}, [&] {
        ops::unary(queue, ops::Unary::exp, out, tensor(DType::f16, {4, 6}));
    });
    refused(made, "unary", {"i32[4, 6]", "f32, f16, bf16"}, [&] {
        ops::unary(queue, ops::Unary::exp, i32({4, 6}), a);
    });
    refused(made, "unary", {"in is f32[4, 5]", "out, which is f32[4, 6]", "broadcast"}, [&] {
        ops::unary(queue, ops::Unary::exp, out, f32({4, 5}));
    });
    refused(made, "unary", {"broadcast"}, [&] { ops::unary(queue, ops::Unary::exp, out, f32({1, 4, 6})); });
    refused(made, "unary", {"axis 0 has stride 0"}, [&] {
        ops::unary(queue, ops::Unary::exp, f32({1, 6}).view().broadcast_to({4, 6}), a);
    });
    refused(made, "unary", {"same element"}, [&] {
        ops::unary(queue, ops::Unary::exp, TensorView(out.buffer(), DType::f32, {4, 6}, {3, 1}, 0), a);
    });
    refused(made, "unary", {"overlap without being the same view"}, [&] {
        const Tensor both = f32({5, 6});
        ops::unary(queue, ops::Unary::exp, both.view().sliced(0, 0, 4), both.view().sliced(0, 1, 4));
    });
    refused(made, "unary", {"u8[4, 6]", "f32, f16, bf16"}, [&] {
        ops::unary(queue, ops::Unary::exp, tensor(DType::u8, {4, 6}), a);
    });
    refused(made, "unary", {"i32[4, 6]", "f32, f16, bf16, u8"}, [&] {
        ops::unary(queue, ops::Unary::is_nan, i32({4, 6}), a);
    });
    refused(made, "binary", {"a is f32[4, 6]", "types differ"}, [&] {
        ops::binary(queue, ops::Binary::less, tensor(DType::f16, {4, 6}), a, a);
    });
    refused(made, "binary", {"overlap"}, [&] { // bytes over the numbers that they are made of
        ops::binary(queue, ops::Binary::less, TensorView(a.buffer(), DType::u8, {4, 6}), a, a);
    });
    refused(made, "clamp", {"broadcast"}, [&] { ops::clamp(queue, out, f32({4, 5}), 0, 1); });
    refused(made, "leaky_relu_backward", {"gradient is i32"}, [&] {
        ops::leaky_relu_backward(queue, out, i32({4, 6}), a);
    });
    ops::unary(queue, ops::Unary::exp, a, a);
    ops::unary(queue, ops::Unary::exp, out, f32({1}));
    CHECK(made.log->launches.size() == 2);
    CHECK(made.log->launches[0].kernel == "unary");
}

TEST_CASE_FIXTURE(World, "elements: fill, binary, cast") {
    const Tensor out = f32({4, 6});
    refused(made, "fill", {"300", "u8"}, [&] { ops::fill(queue, tensor(DType::u8, {3}), 300); });
    refused(made, "fill", {"i32"}, [&] { ops::fill(queue, i32({3}), 0.5); });
    refused(made, "fill", {"u64"}, [&] { ops::fill(queue, tensor(DType::u64, {3}), -1); });
    refused(made, "fill", {"i64"}, [&] { ops::fill(queue, tensor(DType::i64, {3}), 9223372036854775808.0); });
    refused(made, "fill", {"nan", "i8"},
            [&] { ops::fill(queue, tensor(DType::i8, {3}), std::numeric_limits<double>::quiet_NaN()); });
    refused(made, "fill", {"stride 0"}, [&] { ops::fill(queue, f32({1}).view().broadcast_to({3}), 1); });
    CHECK(ops::fill(queue, tensor(DType::i64, {3}), -9223372036854775808.0).path == "portable");

    refused(made, "binary", {"b is f32[3]"}, [&] { ops::binary(queue, ops::Binary::add, out, out, f32({3})); });
    refused(made, "binary", {"a is f16"}, [&] {
        ops::binary(queue, ops::Binary::add, out, tensor(DType::f16, {4, 6}), f32({6}));
    });
    refused(made, "binary", {"overlap"}, [&] {
        const Tensor both = f32({30});
        ops::binary(queue, ops::Binary::add, both.view().sliced(0, 0, 20), f32({20}), both.view().sliced(0, 10, 20));
    });
    refused(made, "cast", {"f64"}, [&] { ops::cast(queue, out, tensor(DType::f64, {4, 6})); });
    refused(made, "cast", {"overlap"}, [&] { ops::cast(queue, out, out); });
    refused(made, "cast", {"overlap"}, [&] {
        ops::cast(queue, TensorView(out.buffer(), DType::f16, {8}), TensorView(out.buffer(), DType::f32, {8}, 3));
    });
    CHECK(ops::cast(queue, TensorView(out.buffer(), DType::f16, {6}), TensorView(out.buffer(), DType::f32, {6}, 3))
              .path == "portable");
    CHECK(ops::cast(queue, f32({0, 3}), tensor(DType::f16, {0, 3})).path == "none");
}

TEST_CASE_FIXTURE(World, "values that an enumeration does not have") {
    const Tensor a = f32({4, 4}), b = f32({4, 4}), out = f32({4, 4});
    refused(made, "unary", {"op is 99"}, [&] { ops::unary(queue, static_cast<ops::Unary>(99), out, a); });
    refused(made, "binary", {"op is -1"}, [&] { ops::binary(queue, static_cast<ops::Binary>(-1), out, a, b); });
    refused(made, "reduce", {"op is 8"}, [&] { ops::reduce(queue, static_cast<ops::Reduction>(8), f32({4}), a, 0); });
    refused(made, "matmul", {"activation is 9"},
            [&] { ops::matmul(queue, out, a, b, {.activation = static_cast<ops::Activation>(9)}); });
    const auto no_type = static_cast<DType>(77);
    CHECK(size_of(no_type) == 0);
    CHECK(to_string(no_type) == "unknown");
    refused(made, "TensorView", {"value 77"}, [&] { TensorView(out.buffer(), no_type, {4}); });
    refused(made, "TensorView", {"value 77"}, [&] { Tensor(made.device, no_type, {4}); });
}

TEST_CASE_FIXTURE(World, "matmul") {
    const Tensor a = f32({3, 4}), b = f32({4, 5}), out = f32({3, 5});
    refused(made, "matmul", {"a is f32[3, 4]", "b f32[5, 4]", "do not fit"}, [&] {
        ops::matmul(queue, out, a, f32({5, 4}));
    });
    refused(made, "matmul", {"do not fit", "transposed"},
            [&] { ops::matmul(queue, out, a, b, {.transpose_a = true}); });
    refused(made, "matmul", {"do not fit"}, [&] { ops::matmul(queue, f32({3, 4}), a, b); });
    refused(made, "matmul", {"rank must be at least 2"}, [&] { ops::matmul(queue, f32({5}), a, b); });
    refused(made, "matmul", {"b is f32[4]"}, [&] { ops::matmul(queue, out, a, f32({4})); });
    refused(made, "matmul", {"batch"}, [&] { ops::matmul(queue, f32({2, 3, 5}), f32({3, 3, 4}), b); });
    refused(made, "matmul", {"batch"}, [&] { ops::matmul(queue, out, f32({1, 3, 4}), b); });
    refused(made, "matmul", {"bias is f32[3]", "[5]"},
            [&] { ops::matmul(queue, out, a, b, {.bias = f32({3}).view()}); });
    refused(made, "matmul", {"types differ"}, [&] { ops::matmul(queue, out, a, tensor(DType::bf16, {4, 5})); });
    refused(made, "matmul", {"overlap"}, [&] {
        const Tensor square = f32({4, 4});
        ops::matmul(queue, square, square, f32({4, 4}));
    });
    const auto with_c = [&](const TensorView& c) { ops::matmul(queue, out, a, b, {.beta = 1, .c = c}); };
    refused(made, "matmul", {"c is f16[3, 5]", "types differ"}, [&] { with_c(tensor(DType::f16, {3, 5})); });
    refused(made, "matmul", {"c is f32[3, 4]", "does not broadcast"}, [&] { with_c(f32({3, 4})); });
    refused(made, "matmul", {"overlap"}, [&] {
        const Tensor both = f32({20});
        ops::matmul(queue, TensorView(both.buffer(), DType::f32, {3, 5}), a, b,
                    {.c = TensorView(both.buffer(), DType::f32, {3, 5}, 1)});
    });
    refused(made, "matmul", {"types differ"}, [&] { ops::matmul(queue, tensor(DType::f16, {3, 5}), a, b); });
    refused(made, "matmul", {"types differ"}, [&] {
        ops::matmul(queue, out, tensor(DType::f16, {3, 4}), tensor(DType::bf16, {4, 5}));
    });
    refused(made, "matmul", {"bias is f16", "types differ"}, [&] {
        ops::matmul(queue, out, tensor(DType::f16, {3, 4}), tensor(DType::f16, {4, 5}),
                    {.bias = tensor(DType::f16, {5}).view()});
    });
    CHECK(ops::matmul(queue, out, tensor(DType::f16, {3, 4}), tensor(DType::f16, {4, 5})).path == "portable");
    CHECK(ops::matmul(queue, out, a, b, {.beta = 1, .c = f32({5}).view()}).path == "portable");
    CHECK(ops::matmul(queue, out, a, b, {.beta = 1, .c = out.view()}).path == "portable");
    made.log->launches.clear();
    CHECK(ops::matmul(queue, f32({0, 5}), f32({0, 4}), b).path == "none");
    CHECK(ops::matmul(queue, out, f32({3, 0}), f32({0, 5})).path == "portable");
    CHECK(ops::matmul(queue, f32({2, 3, 5}), f32({2, 3, 4}), b).path == "portable");
    for (const auto& launch : made.log->launches)
        CHECK(launch.kernel == "matmul");
}

TEST_CASE_FIXTURE(World, "matmul_batch") {
    const Tensor a = f32({3, 4}), b = f32({4, 5}), first = f32({3, 5}), second = f32({3, 5});
    const std::vector<TensorView> outs{first, second}, as{a, a}, bs{b, b};
    const auto views = [](auto&&... each) { return std::vector<TensorView>{each...}; };
    refused(made, "matmul_batch", {"2 outs, 1 as and 2 bs"},
            [&] { ops::matmul_batch(queue, outs, views(a.view()), bs); });
    refused(made, "matmul_batch", {"as[1] is f32[4, 3]", "[3, 4]", "the first"}, [&] {
        ops::matmul_batch(queue, outs, views(a.view(), f32({4, 3}).view()), bs);
    });
    refused(made, "matmul_batch", {"bs[1] is f16", "types differ"}, [&] {
        ops::matmul_batch(queue, outs, as, views(b.view(), tensor(DType::f16, {4, 5}).view()));
    });
    refused(made, "matmul_batch", {"outs[1]", "outs[0]", "overlap"},
            [&] { ops::matmul_batch(queue, views(first.view(), first.view()), as, bs); });
    const Tensor both = f32({32}), square = f32({4, 4});
    refused(made, "matmul_batch", {"outs[0]", "as[1]", "overlap"}, [&] {
        ops::matmul_batch(queue, views(TensorView(both.buffer(), DType::f32, {3, 5}), second.view()),
                          views(a.view(), TensorView(both.buffer(), DType::f32, {3, 4}, 14)), bs);
    });
    refused(made, "matmul_batch", {"outs[1]", "bias", "overlap"}, [&] {
        ops::matmul_batch(queue, outs, as, bs, {.bias = TensorView(second.buffer(), DType::f32, {5}, 10)});
    });
    refused(made, "matmul_batch", {"outs[0]", "overlap"},
            [&] { ops::matmul_batch(queue, outs, as, bs, {.beta = 1, .c = first.view()}); });
    refused(made, "matmul", {"do not fit"},
            [&] { ops::matmul_batch(queue, outs, views(square.view(), square.view()), bs); });
    // Columns of one matrix: their extents cross, their elements do not.
    const Tensor wide = f32({3, 10});
    CHECK(ops::matmul_batch(queue, views(wide.view().sliced(1, 0, 5), wide.view().sliced(1, 5, 5)), as, bs).path ==
          "portable");
    CHECK(made.log->launches.size() == 1);
    CHECK(ops::matmul_batch(queue, outs, as, bs).variant == "a launch each");
    CHECK(made.log->launches.size() == 3);
    CHECK(ops::matmul_batch(queue, views(first.view()), views(a.view()), views(b.view())).path == "portable");
    // Fewer axes than the outs: the same for their batches.
    const Tensor three = f32({2, 3, 5}), others = f32({2, 3, 5});
    CHECK(ops::matmul_batch(queue, views(three.view(), others.view()), as, bs).path == "portable");
    CHECK(ops::matmul_batch(queue, outs, as, bs, {.beta = 0, .c = f32({1, 5}).view()}).path == "portable");
}

TEST_CASE_FIXTURE(World, "conv2d") {
    const Tensor in = f32({2, 6, 9, 11}), weights = f32({4, 3, 3, 3}), out = f32({2, 4, 7, 9});
    const ops::Conv2dOptions two{{.groups = 2}};
    const auto conv = [&](const TensorView& y, const TensorView& x, const TensorView& w,
                          const ops::Conv2dOptions& options) { ops::conv2d(queue, y, x, w, options); };
    refused(made, "conv2d", {"channels do not fit", "groups 1"}, [&] { conv(out, in, weights, {}); });
    refused(made, "conv2d", {"channels do not fit"}, [&] { conv(out, in, f32({3, 3, 3, 3}), two); });
    refused(made, "conv2d", {"out is f32[2, 4, 9, 9]", "[2, 4, 7, 9]"}, [&] {
        conv(f32({2, 4, 9, 9}), in, weights, two);
    });
    refused(made, "conv2d", {"rank must be 4"}, [&] { conv(out, f32({6, 9, 11}), weights, two); });
    refused(made, "conv2d", {"types differ"}, [&] { conv(out, in, tensor(DType::f16, {4, 3, 3, 3}), two); });
    refused(made, "conv2d", {"bias is f32[3]", "[4]"}, [&] {
        conv(out, in, weights, {{.groups = 2}, f32({3}).view()});
    });
    refused(made, "conv2d", {"stride[1] is 0"}, [&] { conv(out, in, weights, {{.stride = {1, 0}, .groups = 2}}); });
    refused(made, "conv2d", {"dilation[0] is -1"}, [&] {
        conv(out, in, weights, {{.dilation = {-1, 1}, .groups = 2}});
    });
    refused(made, "conv2d", {"padding.left is -2"},
            [&] { conv(out, in, weights, {{.padding = {.left = -2}, .groups = 2}}); });
    refused(made, "conv2d", {"groups is 0"}, [&] { conv(out, in, weights, {{.groups = 0}}); });
    refused(made, "conv2d", {"padding.top is 4294967296", "2^31 - 1"},
            [&] { conv(out, in, weights, {{.padding = {.top = std::int64_t{1} << 32}, .groups = 2}}); });
    refused(made, "conv2d", {"9 rows", "4294967294 more"},
            [&] { conv(out, in, weights, {{.padding = {.top = 0x7fffffff, .bottom = 0x7fffffff}, .groups = 2}}); });
    refused(made, "conv2d", {"filter of 3 rows (dilation 5)", "image of 9"}, [&] {
        conv(out, in, weights, {{.dilation = {5, 1}, .groups = 2}});
    });
    refused(made, "conv2d", {"filter of 0 columns"}, [&] { conv(out, in, f32({4, 3, 3, 0}), two); });
    refused(made, "conv2d", {"activation is 7"}, [&] {
        conv(out, in, weights, {{.groups = 2}, std::nullopt, static_cast<ops::Activation>(7)});
    });
    refused(made, "conv2d", {"overlap"}, [&] {
        const Tensor one = f32({1, 1, 4, 4});
        conv(one, one, f32({1, 1, 1, 1}), {});
    });
    refused(made, "conv2d_backward_data", {"in_gradient is f32[2, 5, 9, 11]"}, [&] {
        ops::conv2d_backward_data(queue, f32({2, 5, 9, 11}), out, weights, two);
    });
    refused(made, "conv2d_backward_filter", {"out_gradient is f32[2, 4, 7, 8]", "[2, 4, 7, 9]"}, [&] {
        ops::conv2d_backward_filter(queue, weights, in, f32({2, 4, 7, 8}), two);
    });
    CHECK(ops::conv2d(queue, f32({0, 4, 7, 9}), f32({0, 6, 9, 11}), weights, two).path == "none");
    CHECK(ops::conv2d(queue, out, in, weights, two).path == "portable");
    CHECK(ops::conv2d_backward_data(queue, in, out, weights, two).path == "portable");
    CHECK(ops::conv2d_backward_filter(queue, weights, in, out, two).path == "portable");
}

TEST_CASE_FIXTURE(World, "reduce and softmax") {
    const Tensor in = f32({4, 6}), out = f32({4});
    refused(made, "reduce", {"no axis 2"}, [&] { ops::reduce(queue, ops::Reduction::sum, out, in, 2); });
    refused(made, "reduce", {"no axis -3"}, [&] { ops::reduce(queue, ops::Reduction::sum, out, in, -3); });
    refused(made, "reduce", {"out is f32[4]", "[6]"}, [&] { ops::reduce(queue, ops::Reduction::sum, out, in, 0); });
    refused(made, "reduce", {"i32"}, [&] { ops::reduce(queue, ops::Reduction::argmax, out, in, 1); });
    refused(made, "reduce", {"types differ"}, [&] { ops::reduce(queue, ops::Reduction::max, i32({4}), in, 1); });
    refused(made, "reduce", {"max over axis 1"}, [&] { ops::reduce(queue, ops::Reduction::max, out, f32({4, 0}), 1); });
    refused(made, "reduce", {"mean over axis 1"}, [&] {
        ops::reduce(queue, ops::Reduction::mean, out, f32({4, 0}), 1);
    });
    refused(made, "reduce", {"argmax over axis 1"}, [&] {
        ops::reduce(queue, ops::Reduction::argmax, i32({4}), f32({4, 0}), 1);
    });
    refused(made, "reduce", {"overlap"},
            [&] { ops::reduce(queue, ops::Reduction::sum, TensorView(in.buffer(), DType::f32, {4}, {6}, 0), in, 1); });
    CHECK(ops::reduce(queue, ops::Reduction::sum, out, f32({4, 0}), -1).path == "portable");
    refused(made, "reduce", {"argmin over axes 0, -1"}, [&] {
        ops::reduce(queue, ops::Reduction::argmin, i32({2}), f32({4, 2, 0}), {0, -1});
    });
    refused(made, "reduce", {"axis 1 is named twice"}, [&] {
        ops::reduce(queue, ops::Reduction::sum, out, in, {1, -1});
    });
    refused(made, "reduce", {"out is f32[4]", "[]", "reduced axes"}, [&] {
        ops::reduce(queue, ops::Reduction::norm, out, in, {0, 1});
    });
    refused(made, "reduce", {"no axis 0", "rank 0"},
            [&] { ops::reduce(queue, ops::Reduction::sum, f32({}), f32({}), {0}); });
    refused(made, "reduce", {"more elements than an i32"}, [&] {
        ops::reduce(queue, ops::Reduction::argmin, i32({}), f32({1, 1}).view().broadcast_to({1 << 16, 1 << 15}),
                    {0, 1});
    });
    CHECK(ops::reduce(queue, ops::Reduction::product, f32({4, 1}), in, 1).path == "portable");
    CHECK(ops::reduce(queue, ops::Reduction::norm, f32({}), in, {0, 1}).path == "portable");
    refused(made, "variance", {"correction of -1"}, [&] { ops::variance(queue, out, in, {1}, -1); });
    refused(made, "variance", {"variance over axis 1"}, [&] { ops::variance(queue, out, f32({4, 0}), {1}); });
    refused(made, "variance", {"types differ"}, [&] { ops::variance(queue, i32({4}), in, {1}); });
    // few results of many elements: their parts, then the parts put together
    const std::size_t before = made.log->launches.size();
    ops::variance(queue, f32({}), f32({1 << 20}), {0});
    REQUIRE(made.log->launches.size() == before + 2);
    CHECK(made.log->launches[before].kernel == "variance_rows");
    CHECK(made.log->launches[before].range.global[0] > 1);
    CHECK(made.log->launches[before + 1].kernel == "variance_parts");
    ops::reduce(queue, ops::Reduction::max, f32({1 << 14}), f32({1 << 14, 64}), 1); // enough results
    CHECK(made.log->launches.size() == before + 3);
    CHECK(ops::reduce(queue, ops::Reduction::sum, f32({0}), f32({0, 3}), 1).path == "none");

    refused(made, "softmax", {"no axis 2"}, [&] { ops::softmax(queue, f32({4, 6}), in, 2); });
    refused(made, "softmax", {"in is f32[4, 6]", "[4, 7]"}, [&] { ops::softmax(queue, f32({4, 7}), in); });
    CHECK(ops::softmax(queue, in, in, 0).path == "portable");
}

TEST_CASE_FIXTURE(World, "batch_norm") {
    const Tensor x = f32({4, 6, 3}), y = f32({4, 6, 3}), c = f32({6}), d = f32({6}), e = f32({6}), f = f32({6});
    refused(made, "batch_norm", {"mean is f32[5]"}, [&] { ops::batch_norm(queue, y, x, f32({5}), c); });
    refused(made, "batch_norm", {"variance is f16"}, [&] { ops::batch_norm(queue, y, x, c, tensor(DType::f16, {6})); });
    refused(made, "batch_norm", {"no axis of channels"}, [&] { ops::batch_norm(queue, c, d, e, f); });
    refused(made, "batch_norm", {"gamma is f32[7]"},
            [&] { ops::batch_norm(queue, y, x, c, d, {.gamma = f32({7}).view()}); });
    refused(made, "batch_norm", {"epsilon is -1"}, [&] { ops::batch_norm(queue, y, x, c, d, {.epsilon = -1}); });
    ops::BatchNormTraining options;
    options.running_mean = e.view();
    refused(made, "batch_norm_training", {"only one of running_mean"},
            [&] { ops::batch_norm_training(queue, y, x, c, d, options); });
    options.running_variance = f.view();
    refused(made, "batch_norm_training", {"elements of a channel less one"}, [&] {
        ops::batch_norm_training(queue, f32({1, 6}), f32({1, 6}), c, d, options);
    });
    options.momentum = 2;
    refused(made, "batch_norm_training", {"momentum is 2"},
            [&] { ops::batch_norm_training(queue, y, x, c, d, options); });
    refused(made, "batch_norm_training", {"no elements"}, [&] {
        ops::batch_norm_training(queue, f32({0, 6}), f32({0, 6}), c, d);
    });
    refused(made, "batch_norm_training", {"overlap"}, [&] { ops::batch_norm_training(queue, y, x, c, c); });
    refused(made, "batch_norm_backward", {"overlap"}, [&] {
        ops::batch_norm_backward(queue, y, c, d, x, f32({4, 6, 3}), c, e);
    });
    CHECK(ops::batch_norm_training(queue, x, x, c, d).path == "portable");
    CHECK(ops::batch_norm_backward(queue, x, c, d, x, y, e, f).path == "portable");
}

TEST_CASE_FIXTURE(World, "softmax_cross_entropy") {
    const Tensor loss = f32({4}), logits = f32({4, 10}), labels = i32({4});
    constexpr auto name = "softmax_cross_entropy";
    refused(made, name, {"labels is f32"}, [&] { ops::softmax_cross_entropy(queue, loss, logits, f32({4})); });
    refused(made, name, {"labels is i32[5]"}, [&] { ops::softmax_cross_entropy(queue, loss, logits, i32({5})); });
    refused(made, name, {"loss is f16"},
            [&] { ops::softmax_cross_entropy(queue, tensor(DType::f16, {4}), logits, labels); });
    refused(made, name, {"rank must be 2"}, [&] { ops::softmax_cross_entropy(queue, loss, f32({4}), labels); });
    refused(made, name, {"no classes"}, [&] { ops::softmax_cross_entropy(queue, loss, f32({4, 0}), labels); });
    refused(made, name, {"gradient is f32[4, 9]"}, [&] {
        ops::softmax_cross_entropy(queue, loss, logits, labels, {.gradient = f32({4, 9}).view()});
    });
    refused(made, name, {"scale_factor", "one element"},
            [&] { ops::softmax_cross_entropy(queue, loss, logits, labels, {.scale_factor = f32({2}).view()}); });
    CHECK(ops::softmax_cross_entropy(queue, loss, logits, labels, {.gradient = logits.view()}).path == "portable");
}

TEST_CASE_FIXTURE(World, "adam, adamw, count_step") {
    const Tensor w = tensor(DType::bf16, {3, 2}), m = f32({3, 2}), first = f32({3, 2}), second = f32({3, 2}),
                 g = tensor(DType::bf16, {3, 2}), steps = i32({1});
    const auto update = [&](const ops::AdamOptions& options) { ops::adamw(queue, w, m, first, second, g, options); };
    refused(made, "adam", {"master is bf16"}, [&] { ops::adam(queue, w, g, first, second, g, {}); });
    refused(made, "adamw", {"types differ"}, [&] { ops::adamw(queue, m, m, first, second, g, {}); });
    refused(made, "adamw", {"second is f16"}, [&] {
        ops::adamw(queue, w, m, first, tensor(DType::f16, {3, 2}), g, {});
    });
    refused(made, "adamw", {"first is f32[6]"}, [&] { ops::adamw(queue, w, m, f32({6}), second, g, {}); });
    refused(made, "adamw", {"contiguous"}, [&] {
        ops::adamw(queue, w, m, first, f32({2, 3}).view().transposed(0, 1), g, {});
    });
    refused(made, "adamw", {"first", "second", "overlap"}, [&] { ops::adamw(queue, w, m, first, first, g, {}); });
    refused(made, "adamw", {"master", "overlap"}, [&] { ops::adamw(queue, w, m, m, second, g, {}); });
    refused(made, "adamw", {"gradient", "overlap"}, [&] { ops::adamw(queue, g, m, first, second, g, {}); });
    refused(made, "adamw", {"beta1 is 1"}, [&] { update({.beta1 = 1}); });
    refused(made, "adamw", {"beta2 is -0.5"}, [&] { update({.beta2 = -0.5}); });
    refused(made, "adamw", {"epsilon"}, [&] { update({.epsilon = -1}); });
    refused(made, "adamw", {"epsilon is nan"}, [&] { update({.epsilon = std::numeric_limits<double>::quiet_NaN()}); });
    refused(made, "adamw", {"step is 0"}, [&] { update({.step = 0}); });
    refused(made, "adamw", {"steps is f32"}, [&] { update({.steps = f32({1}).view()}); });
    refused(made, "adamw", {"steps", "one element"}, [&] { update({.steps = i32({2}).view()}); });
    refused(made, "adamw", {"skip is i32"}, [&] { update({.skip = steps.view()}); });
    refused(made, "adamw", {"master", "skip", "overlap"},
            [&] { update({.skip = m.view().sliced(0, 1, 1).sliced(1, 0, 1)}); });
    CHECK(made.log->launches.empty());
    update({.step = 0, .steps = steps.view()});
    ops::adam(queue, m, m, first, second, f32({3, 2}), {});
    CHECK(made.log->launches.size() == 2);
    CHECK(ops::adam(queue, f32({0}), f32({0}), f32({0}), f32({0}), f32({0}), {}).path == "none");

    refused(made, "count_step", {"steps is f32"}, [&] { ops::count_step(queue, f32({1})); });
    refused(made, "count_step", {"one element"}, [&] { ops::count_step(queue, i32({2})); });
    refused(made, "count_step", {"skip is i32"}, [&] { ops::count_step(queue, steps, i32({1}).view()); });
    CHECK(ops::count_step(queue, steps).path == "portable");
}

TEST_CASE_FIXTURE(World, "clip_norm") {
    const Tensor a = f32({3, 2}), b = tensor(DType::f16, {5}), norm = f32({1});
    const auto clip = [&](std::vector<TensorView> gradients, const TensorView& total, double most) {
        return ops::clip_norm(queue, gradients, total, most);
    };
    refused(made, "clip_norm", {"gradient is i32"}, [&] { clip({a, i32({3})}, norm, 1); });
    refused(made, "clip_norm", {"norm is f16"}, [&] { clip({a}, tensor(DType::f16, {1}), 1); });
    refused(made, "clip_norm", {"norm", "one element"}, [&] { clip({a}, f32({2}), 1); });
    refused(made, "clip_norm", {"stride 0"}, [&] { clip({f32({1}).view().broadcast_to({4})}, norm, 1); });
    refused(made, "clip_norm", {"overlap"}, [&] { clip({a, b, a}, norm, 1); });
    refused(made, "clip_norm", {"norm", "overlap"}, [&] { clip({norm}, norm, 1); });
    refused(made, "clip_norm", {"max_norm is -1"}, [&] { clip({a}, norm, -1); });
    refused(made, "clip_norm", {"max_norm is nan"}, [&] { clip({a}, norm, std::numeric_limits<double>::quiet_NaN()); });
    CHECK(clip({a, b}, norm, 1).path == "portable");
    CHECK(made.log->launches.size() == 5); // a sum and a scaling for each, the factor once
    CHECK(clip({}, norm, 1).path == "portable");
    CHECK(made.log->launches.size() == 6);
}

TEST_CASE_FIXTURE(World, "resize_normalize") {
    const Tensor in = tensor(DType::u8, {2, 9, 7, 3}), out = f32({2, 3, 5, 4});
    const char* const name = "resize_normalize";
    const auto resize = [&](const TensorView& to, const TensorView& from, const ops::ResizeNormalizeOptions& options) {
        return ops::resize_normalize(queue, to, from, options);
    };
    refused(made, name, {"in is f32"}, [&] { resize(out, f32({2, 9, 7, 3}), {}); });
    refused(made, name, {"out is u8"}, [&] { resize(in, in, {}); });
    refused(made, name, {"rank must be 4"}, [&] { resize(out, tensor(DType::u8, {9, 7, 3}), {}); });
    refused(made, name, {"2 channels"}, [&] { resize(f32({2, 2, 5, 4}), tensor(DType::u8, {2, 9, 7, 2}), {}); });
    refused(made, name, {"channels differ"}, [&] { resize(f32({2, 5, 4, 3}), in, {}); });
    refused(made, name, {"in has 2 images, out 3"}, [&] { resize(f32({3, 3, 5, 4}), in, {}); });
    refused(made, name, {"without pixels"}, [&] { resize(out, tensor(DType::u8, {2, 9, 0, 3}), {}); });
    refused(made, name, {"1048577 columns of in"}, [&] {
        resize(f32({1, 1, 5, 4}), tensor(DType::u8, {1, 2, 1048577, 1}), {});
    });
    refused(made, name, {"method is 3"}, [&] { resize(out, in, {.method = static_cast<ops::Resampling>(3)}); });
    refused(made, name, {"boxes is f32[2, 3]", "[2, 4]"}, [&] { resize(out, in, {.boxes = f32({2, 3}).view()}); });
    refused(made, name, {"images is f32"}, [&] { resize(out, in, {.images = f32({2}).view()}); });
    refused(made, name, {"flip is u8[3]"}, [&] { resize(out, in, {.flip = tensor(DType::u8, {3}).view()}); });
    refused(made, name, {"boxes", "overlap"}, [&] {
        resize(out, in, {.boxes = TensorView(out.buffer(), DType::f32, {2, 4})});
    });
    refused(made, name, {"mean[1] is 0", "std 0"}, [&] { resize(out, in, {.std = {1, 0, 1}}); });
    refused(made, name, {"mean[2] is nan"}, [&] {
        resize(out, in, {.mean = {0, 0, std::numeric_limits<float>::quiet_NaN()}});
    });
    refused(made, name, {"swap_red_blue"}, [&] {
        resize(f32({2, 1, 5, 4}), tensor(DType::u8, {2, 9, 7, 1}), {.swap_red_blue = true});
    });
    CHECK(resize(out, in, {}).path == "portable");
    CHECK(resize(out, in, {.method = ops::Resampling::nearest}).path == "portable");
    CHECK(made.log->launches.size() == 2);
    CHECK(made.log->launches[0].kernel == "preprocess_filter");
    CHECK(made.log->launches[1].kernel == "preprocess_points");
    CHECK(resize(f32({2, 3, 5, 0}), in, {}).path == "none");
    CHECK(resize(f32({5, 3, 5, 4}), in, {.images = i32({5}).view()}).path == "portable");
}

TEST_CASE_FIXTURE(World, "random numbers and dropout") {
    const Tensor out = f32({4, 6}), half = tensor(DType::f16, {4, 6});
    const ops::RandomState state{1, 2, 3};
    refused(made, "random_bits", {"out is f32"}, [&] { ops::random_bits(queue, out, state); });
    refused(made, "uniform", {"out is i32"}, [&] { ops::uniform(queue, i32({3}), state); });
    refused(made, "uniform", {"stride 0"}, [&] { ops::uniform(queue, f32({1}).view().broadcast_to({3}), state); });
    refused(made, "normal", {"deviation -1"}, [&] { ops::normal(queue, out, state, {0, -1}); });
    refused(made, "normal", {"mean is inf"}, [&] {
        ops::normal(queue, out, state, {std::numeric_limits<float>::infinity(), 1});
    });
    refused(made, "bernoulli", {"probability is 1.5"}, [&] { ops::bernoulli(queue, out, state, 1.5); });
    refused(made, "bernoulli", {"probability is nan"},
            [&] { ops::bernoulli(queue, out, state, std::numeric_limits<double>::quiet_NaN()); });
    refused(made, "dropout", {"p is -0.1"}, [&] { ops::dropout(queue, out, f32({4, 6}), state, -0.1); });
    refused(made, "dropout", {"types differ"}, [&] { ops::dropout(queue, out, half, state, 0.5); });
    refused(made, "dropout", {"in is f32[24]"}, [&] { ops::dropout(queue, out, f32({24}), state, 0.5); });
    refused(made, "dropout", {"overlap"}, [&] {
        const Tensor both = f32({30});
        ops::dropout(queue, both.view().sliced(0, 0, 20), both.view().sliced(0, 5, 20), state, 0.5);
    });
    refused(made, "dropout_backward", {"out_gradient is f32[4, 5]"}, [&] {
        ops::dropout_backward(queue, out, f32({4, 5}), state, 0.5);
    });
    CHECK(ops::random_bits(queue, tensor(DType::u32, {5}), state).path == "portable");
    CHECK(ops::dropout(queue, out, out, state, 0.5).path == "portable");
    CHECK(ops::uniform(queue, f32({0}), state).path == "none");
    CHECK(made.log->launches.size() == 2);
    CHECK(made.log->launches[1].kernel == "random_dropout");
}

TEST_CASE_FIXTURE(World, "sgd, unscale, update_loss_scale and gather_rows") {
    const Tensor w = tensor(DType::f16, {3, 2}), m = f32({3, 2}), v = f32({3, 2}), g = tensor(DType::f16, {3, 2}),
                 one = f32({1});
    refused(made, "sgd", {"master is f16"}, [&] { ops::sgd(queue, w, g, v, g, {}); });
    refused(made, "sgd", {"types differ"}, [&] { ops::sgd(queue, m, m, v, g, {}); });
    refused(made, "sgd", {"velocity is f32[3, 3]"}, [&] { ops::sgd(queue, w, m, f32({3, 3}), g, {}); });
    refused(made, "sgd", {"contiguous"}, [&] { ops::sgd(queue, w, f32({2, 3}).view().transposed(0, 1), v, g, {}); });
    refused(made, "sgd", {"overlap"}, [&] { ops::sgd(queue, w, m, m, g, {}); });
    refused(made, "sgd", {"skip", "one element"}, [&] { ops::sgd(queue, w, m, v, g, {.skip = f32({2}).view()}); });
    CHECK(ops::sgd(queue, m, m, v, f32({3, 2}), {}).path == "portable");
    refused(made, "sgd", {"overlap"}, [&] { ops::sgd(queue, w, m, v, w, {}); });

    refused(made, "unscale", {"found is f16"}, [&] { ops::unscale(queue, g, one, tensor(DType::f16, {1})); });
    refused(made, "unscale", {"overlap"}, [&] { ops::unscale(queue, g, one, one); });
    refused(made, "update_loss_scale", {"overlap"},
            [&] { ops::update_loss_scale(queue, one, f32({1}), f32({1}), one); });
    refused(made, "update_loss_scale", {"growth_interval"},
            [&] { ops::update_loss_scale(queue, one, f32({1}), f32({1}), f32({1}), 0); });

    refused(made, "gather_rows", {"rows is f32"}, [&] { ops::gather_rows(queue, f32({2, 3}), f32({5, 3}), f32({2})); });
    refused(made, "gather_rows", {"out is f32[2, 4]", "[2, 3]"}, [&] {
        ops::gather_rows(queue, f32({2, 4}), f32({5, 3}), i32({2}));
    });
    refused(made, "gather_rows", {"f64"}, [&] {
        ops::gather_rows(queue, tensor(DType::f64, {2, 3}), tensor(DType::f64, {5, 3}), i32({2}));
    });
    CHECK(ops::gather_rows(queue, f32({2, 3}), f32({0, 3}), i32({2})).path == "portable");
}
