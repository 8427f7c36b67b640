#include "refused.hpp"
#include <devq/ops/attention.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "attention") {
    const Tensor q = f32({2, 6, 5, 8}), k = f32({2, 3, 7, 8}), v = f32({2, 3, 7, 4}), out = f32({2, 6, 5, 4});
    const auto with = [&](const TensorView& result, const TensorView& queries, const TensorView& keys,
                          const TensorView& values, const ops::AttentionOptions& options = {}) {
        return ops::attention(queue, result, queries, keys, values, options);
    };
    constexpr auto name = "attention";
    refused(made, name, {"q is f32[6, 5, 8]", "rank must be 4"}, [&] { with(out, f32({6, 5, 8}), k, v); });
    refused(made, name, {"k is f32[2, 3, 7, 9]", "head_dim"}, [&] { with(out, q, f32({2, 3, 7, 9}), v); });
    refused(made, name, {"v is f32[2, 3, 6, 4]"}, [&] { with(out, q, k, f32({2, 3, 6, 4})); });
    refused(made, name, {"out is f32[2, 6, 5, 8]", "[2, 6, 5, 4]"}, [&] { with(f32({2, 6, 5, 8}), q, k, v); });
    refused(made, name, {"6 heads", "4", "divide"}, [&] { with(out, q, f32({2, 4, 7, 8}), f32({2, 4, 7, 4})); });
    refused(made, name, {"6 heads", "0", "divide"}, [&] { with(out, q, f32({2, 0, 7, 8}), f32({2, 0, 7, 4})); });
    refused(made, name, {"k is f16", "types differ"}, [&] { with(out, q, tensor(DType::f16, {2, 3, 7, 8}), v); });
    refused(made, name, {"q is i32"}, [&] { with(out, i32({2, 6, 5, 8}), k, v); });
    refused(made, name, {"k is", "last axis must be contiguous"}, [&] {
        with(out, q, f32({2, 3, 8, 7}).view().transposed(2, 3), v);
    });
    refused(made, name, {"mask is f32[5, 6]", "[2, 6, 5, 7]"}, [&] {
        with(out, q, k, v, {.mask = f32({5, 6}).view()});
    });
    refused(made, name, {"mask is i32"}, [&] { with(out, q, k, v, {.mask = i32({5, 7}).view()}); });
    refused(made, name, {"mask is bf16"}, [&] { with(out, q, k, v, {.mask = tensor(DType::bf16, {5, 7}).view()}); });
    refused(made, name, {"mask is f32[1, 1, 1, 1, 7]"}, [&] {
        with(out, q, k, v, {.mask = f32({1, 1, 1, 1, 7}).view()});
    });
    refused(made, name, {"causal is 9"}, [&] { with(out, q, k, v, {.causal = static_cast<ops::Causal>(9)}); });
    refused(made, name, {"out", "q", "overlap"}, [&] { with(q, q, f32({2, 3, 7, 8}), f32({2, 3, 7, 8})); });
    refused(made, name, {"log_sum_exp is f32[2, 6]"}, [&] {
        ops::attention(queue, out, q, k, v, {}, f32({2, 6}).view());
    });
    refused(made, name, {"log_sum_exp is f16"}, [&] {
        ops::attention(queue, out, q, k, v, {}, tensor(DType::f16, {2, 6, 5}).view());
    });
    CHECK(with(out, q, k, v, {.mask = tensor(DType::u8, {2, 1, 1, 7}).view()}).path == "portable");
    CHECK(with(f32({2, 6, 0, 4}), f32({2, 6, 0, 8}), k, v).path == "none");
    CHECK(with(f32({2, 6, 5, 0}), q, k, f32({2, 3, 7, 0})).path == "none");
    CHECK(with(out, q, f32({2, 3, 0, 8}), f32({2, 3, 0, 4})).path == "portable"); // zeros
}

TEST_CASE_FIXTURE(World, "attention_backward") {
    const Tensor q = f32({2, 6, 5, 8}), k = f32({2, 3, 7, 8}), v = f32({2, 3, 7, 4}), out = f32({2, 6, 5, 4}),
                 g = f32({2, 6, 5, 4}), lse = f32({2, 6, 5});
    const auto with = [&](const ops::AttentionGradients& gradients) {
        return ops::attention_backward(queue, gradients, g, q, k, v, out, lse);
    };
    constexpr auto name = "attention_backward";
    refused(made, name, {"gradients.q is f32[2, 6, 5, 4]"}, [&] { with({.q = f32({2, 6, 5, 4}).view()}); });
    refused(made, name, {"gradients.k is f16"}, [&] { with({.k = tensor(DType::f16, {2, 3, 7, 8}).view()}); });
    refused(made, name, {"gradients.v", "v is", "overlap"}, [&] { with({.v = v.view()}); });
    refused(made, name, {"gradients.q", "q is", "overlap"}, [&] { with({.q = q.view()}); });
    refused(made, name, {"out_gradient is f32[2, 6, 5, 8]"},
            [&] { ops::attention_backward(queue, {}, q, q, k, v, out, lse); });
    refused(made, name, {"log_sum_exp is f32[60]"},
            [&] { ops::attention_backward(queue, {}, g, q, k, v, out, f32({60})); });
    refused(made, name, {"gradients.k", "gradients.q", "overlap"}, [&] {
        const Tensor same = f32({2, 3, 7, 8});
        ops::attention_backward(queue, {.q = same.view(), .k = same.view()}, f32({2, 3, 7, 4}), f32({2, 3, 7, 8}), k, v,
                                f32({2, 3, 7, 4}), f32({2, 3, 7}));
    });
    CHECK(with({}).path == "none");
    CHECK(made.log->launches.empty());
    CHECK(with({.v = f32({2, 3, 7, 4}).view()}).path == "portable");
    CHECK(made.log->launches.size() == 1); // delta is not needed
    CHECK(with({.q = f32({2, 6, 5, 8}).view(), .k = f32({2, 3, 7, 8}).view()}).path == "portable");
    REQUIRE(made.log->launches.size() == 4);
    CHECK(made.log->launches[1].kernel == "attention_delta");
    CHECK(made.log->launches[2].kernel == "attention_backward");
}
