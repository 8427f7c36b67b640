// What operations ask of the vendor's library: descriptions, and when they do not ask at all.
#include "fake_device.hpp"
#include <devq/ops.hpp>
#include <doctest/doctest.h>

using namespace devq;
using namespace ops_test;

namespace {

std::string refused(auto&& body) {
    try {
        body();
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::unsupported);
        return error.what();
    }
    FAIL_CHECK("no error was thrown");
    return {};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE("matmul describes batches as the fewest axes, and operands with their alignment") {
    const Fake fake = ops_test::fake("gpu", 4, 256);
    const Tensor a(fake.device, DType::f16, {2, 3, 4, 8}), b(fake.device, DType::f16, {2, 3, 8, 16}),
        out(fake.device, DType::f16, {2, 3, 4, 16}), bias(fake.device, DType::f16, {16});
    CHECK(ops::matmul(fake.queue, out, a, b, {.bias = bias}).path == "portable");
    REQUIRE(fake.log->products.size() == 1);
    const backend::MatmulDescription& what = fake.log->products[0];
    CHECK(what.m == 4);
    CHECK(what.n == 16);
    CHECK(what.k == 8);
    CHECK(what.a == backend::MatmulDescription::Matrix{DType::f16, 8, 1, {32}, 64});
    CHECK(what.b == backend::MatmulDescription::Matrix{DType::f16, 16, 1, {128}, 64});
    CHECK(what.out == backend::MatmulDescription::Matrix{DType::f16, 16, 1, {64}, 64});
    CHECK(what.batch_rank == 1);
    CHECK(what.batch_sizes[0] == 6);
    CHECK(what.bias);
    CHECK(what.bias_stride == 1);
    CHECK(what.epilogue == backend::Epilogue::none);
    CHECK(what.compute == backend::Compute::f32);
    CHECK(what.workspace_limit > 0);

    // One b for all batches: a taller matrix. Two bytes from the start: aligned to two.
    const Tensor rows(fake.device, DType::f16, {8 * 16 + 1});
    const TensorView one(rows.buffer(), DType::f16, {8, 16}, 1);
    ops::matmul(fake.queue, out, a, one);
    REQUIRE(fake.log->products.size() == 2);
    CHECK(fake.log->products[1].m == 24);
    CHECK(fake.log->products[1].batch_rank == 0);
    CHECK(fake.log->products[1].b.alignment == 2);
}

TEST_CASE("matmul: options that concern the vendor's library") {
    const Fake fake = ops_test::fake("gpu", 4, 256);
    const auto ask = [&](DType type, const ops::MatmulOptions& options) {
        const Tensor a(fake.device, type, {4, 8}), b(fake.device, type, {8, 4}), out(fake.device, type, {4, 4});
        ops::matmul(fake.queue, out, a, b, options);
    };
    ask(DType::f32, {.path = ops::Path::portable});
    ask(DType::f16, {.activation = ops::Activation::gelu}); // would be rounded twice
    ask(DType::f16, {.activation = ops::Activation::silu});
    CHECK(fake.log->products.empty());
    ask(DType::f32, {.activation = ops::Activation::gelu, .tf32 = true});
    ask(DType::f16, {.activation = ops::Activation::relu, .tf32 = true}); // f16 has no more bits than TF32
    ask(DType::f16, {.activation = ops::Activation::relu, .relu_may_drop_nan = true});
    REQUIRE(fake.log->products.size() == 3);
    CHECK(fake.log->products[0].compute == backend::Compute::tf32);
    CHECK(fake.log->products[0].epilogue == backend::Epilogue::none);
    CHECK(fake.log->products[1].compute == backend::Compute::f32);
    CHECK(fake.log->products[1].epilogue == backend::Epilogue::none);
    CHECK(fake.log->products[2].epilogue == backend::Epilogue::relu);
    CHECK(fake.log->products[2].relu_may_drop_nan);

    const std::string text = refused([&] { ask(DType::f32, {.path = ops::Path::vendor}); });
    CHECK(holds(text, "matmul"));
    CHECK(holds(text, "the fake device's library knows nothing"));
    for (const ops::Activation activation : {ops::Activation::gelu, ops::Activation::silu})
        CHECK(holds(refused([&] { ask(DType::bf16, {.activation = activation, .path = ops::Path::vendor}); }),
                    "rounded to bf16"));
}

TEST_CASE("matmul: what is scaled, added and rounded to f32, as the vendor's library is told") {
    const Fake fake = ops_test::fake("gpu", 4, 256);
    const Tensor a(fake.device, DType::f16, {2, 4, 8}), b(fake.device, DType::f16, {2, 8, 4}),
        out(fake.device, DType::f32, {2, 4, 4}), c(fake.device, DType::f32, {4, 4});
    const auto ask = [&](const ops::MatmulOptions& options) -> const backend::MatmulDescription& {
        CHECK(ops::matmul(fake.queue, out, a, b, options).variant.find("WIDE=1") != std::string_view::npos);
        return fake.log->products.back();
    };
    CHECK_FALSE(ask({.alpha = 2, .c = c}).accumulate);
    CHECK(fake.log->products.back().out.type == DType::f32);
    const backend::MatmulDescription& in_place = ask({.beta = 1});
    CHECK(in_place.accumulate);
    CHECK(in_place.c == in_place.out);
    CHECK(ask({.beta = 1, .c = c}).c == backend::MatmulDescription::Matrix{DType::f32, 4, 1, {0}, 64});
    // By erf and silu come after the library, which is no loss in f32; by tanh is its own.
    CHECK(ask({.activation = ops::Activation::silu}).epilogue == backend::Epilogue::none);
    CHECK(ask({.activation = ops::Activation::gelu_tanh}).epilogue == backend::Epilogue::gelu_tanh);
    const std::size_t before = fake.log->products.size();
    ops::matmul(fake.queue, out, a, b, {.alpha = 0, .beta = 1});
    CHECK(fake.log->products.size() == before); // nothing to multiply
}

TEST_CASE("matmul_batch: equally distant views are one product, others a list of addresses or a launch each") {
    const Fake fake = ops_test::fake("gpu", 4, 256);
    const Tensor all_a(fake.device, DType::f32, {3, 4, 8}), b(fake.device, DType::f32, {8, 4}),
        all_out(fake.device, DType::f32, {3, 4, 4});
    const auto slice = [](const Tensor& of, std::int64_t i) {
        return of.view().sliced(0, i, 1).reshaped({of.sizes()[1], of.sizes()[2]});
    };
    std::vector<TensorView> as, bs, outs;
    for (std::int64_t i = 0; i < 3; ++i) {
        as.push_back(slice(all_a, i));
        bs.push_back(b);
        outs.push_back(slice(all_out, i));
    }
    CHECK(ops::matmul_batch(fake.queue, outs, as, bs).path == "portable");
    REQUIRE(fake.log->products.size() == 1);
    CHECK(fake.log->products[0].places == 0);
    CHECK(fake.log->products[0].m == 12); // one b for all: a taller matrix
    CHECK(fake.log->launches.size() == 1);

    std::swap(outs[1], outs[2]);
    const ops::Placement each = ops::matmul_batch(fake.queue, outs, as, bs, {.alpha = 3, .beta = 1, .tf32 = true});
    CHECK(each.path == "portable");
    CHECK(each.variant == "a launch each");
    REQUIRE(fake.log->products.size() == 5);
    const backend::MatmulDescription& list = fake.log->products[1];
    CHECK(list.places == 3);
    CHECK(list.batch_rank == 0);
    CHECK(list.m == 4);
    CHECK(list.n == 4);
    CHECK(list.k == 8);
    CHECK(list.a == backend::MatmulDescription::Matrix{DType::f32, 8, 1, {}, 64});
    CHECK(list.accumulate);
    CHECK(list.c == list.out);
    CHECK(list.compute == backend::Compute::tf32);
    CHECK(fake.log->products[4].places == 0);
    CHECK(fake.log->launches.size() == 4);

    ops::matmul_batch(fake.queue, outs, as, bs, {.activation = ops::Activation::relu, .path = ops::Path::portable});
    CHECK(fake.log->products.size() == 5);
    CHECK(fake.log->launches.size() == 7);
    ops::matmul_batch(fake.queue, outs, as, bs, {.activation = ops::Activation::relu}); // no library has it for lists
    CHECK(fake.log->products.size() == 8);
    CHECK(fake.log->products[5].places == 0);
    CHECK(ops::matmul_batch(fake.queue, {}, {}, {}).path == "none");
}

TEST_CASE("conv2d describes its tensors in each direction") {
    const Fake fake = ops_test::fake("gpu", 4, 256);
    const Tensor in(fake.device, DType::f32, {2, 6, 9, 9}), weights(fake.device, DType::f32, {4, 3, 3, 3}),
        out(fake.device, DType::f32, {2, 4, 5, 9}), bias(fake.device, DType::f32, {4});
    const ops::Conv2dGeometry geometry{
        .stride = {2, 1}, .dilation = {1, 2}, .padding = {1, 1, 3, 1}, .groups = 2, .tf32 = true};
    ops::Conv2dOptions options{geometry};
    options.bias = bias;
    CHECK(ops::conv2d(fake.queue, out, in, weights, options).path == "portable");
    ops::conv2d_backward_data(fake.queue, in, out, weights, geometry);
    ops::conv2d_backward_filter(fake.queue, weights, in, out, geometry);
    REQUIRE(fake.log->convolutions.size() == 3);
    const backend::Direction directions[] = {backend::Direction::forward, backend::Direction::backward_data,
                                             backend::Direction::backward_filter};
    for (std::size_t i = 0; i < 3; ++i) {
        const backend::ConvolutionDescription& what = fake.log->convolutions[i];
        CHECK(what.direction == directions[i]);
        CHECK(what.image.sizes == std::array<std::int64_t, 4>{2, 6, 9, 9});
        CHECK(what.image.strides == std::array<std::int64_t, 4>{486, 81, 9, 1});
        CHECK(what.filter.sizes == std::array<std::int64_t, 4>{4, 3, 3, 3});
        CHECK(what.result.sizes == std::array<std::int64_t, 4>{2, 4, 5, 9});
        CHECK(what.stride == std::array<std::int64_t, 2>{2, 1});
        CHECK(what.dilation == std::array<std::int64_t, 2>{1, 2});
        CHECK(what.padding_before == std::array<std::int64_t, 2>{1, 3});
        CHECK(what.padding_behind == std::array<std::int64_t, 2>{1, 1});
        CHECK(what.groups == 2);
        CHECK(what.compute == backend::Compute::tf32);
        CHECK(what.accumulate == (i == 0));
    }
    ops::Conv2dGeometry demanded = geometry;
    demanded.path = ops::Path::vendor;
    CHECK(holds(refused([&] { ops::conv2d_backward_data(fake.queue, in, out, weights, demanded); }), "knows nothing"));
    const Tensor none(fake.device, DType::f32, {0, 6, 9, 9}), no_result(fake.device, DType::f32, {0, 4, 5, 9});
    CHECK(holds(refused([&] { ops::conv2d_backward_filter(fake.queue, weights, none, no_result, demanded); }),
                "no sum over nothing"));
}
