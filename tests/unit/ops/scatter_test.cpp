#include "refused.hpp"
#include <devq/ops/scatter.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "scatter_add") {
    const Tensor out = f32({4, 6}), in = f32({9, 6}), indices = i32({9, 6});
    refused(made, "scatter_add", {"no axis -3"}, [&] { ops::scatter_add(queue, out, in, indices, -3); });
    refused(made, "scatter_add", {"in is f32[9, 6]", "[4, 6]"}, [&] {
        ops::scatter_add(queue, f32({4, 7}), in, indices, 1);
    });
    refused(made, "scatter_add", {"in is f32[54]", "rank"},
            [&] { ops::scatter_add(queue, out, f32({54}), indices, 0); });
    refused(made, "scatter_add", {"indices is i32[9, 5]", "broadcast"}, [&] {
        ops::scatter_add(queue, out, in, i32({9, 5}), 0);
    });
    refused(made, "scatter_add", {"indices is f32"}, [&] { ops::scatter_add(queue, out, in, in, 0); });
    refused(made, "scatter_add", {"types differ"}, [&] {
        ops::scatter_add(queue, out, tensor(DType::f16, {9, 6}), indices, 0);
    });
    refused(made, "scatter_add", {"f64"}, [&] {
        ops::scatter_add(queue, tensor(DType::f64, {4, 6}), tensor(DType::f64, {9, 6}), indices, 0);
    });
    refused(made, "scatter_add", {"overlap"}, [&] { ops::scatter_add(queue, out, out, i32({4, 6}), 0); });
    refused(made, "scatter_add", {"stride 0"}, [&] {
        ops::scatter_add(queue, f32({1, 6}).view().broadcast_to({4, 6}), in, indices, 0);
    });
    const Dims lists{std::int64_t{1} << 31, 0};
    refused(made, "scatter_add", {"2147483647 terms"}, [&] {
        ops::scatter_add(queue, f32({4, 0}), f32(lists), i32({1}), 0);
    });
    CHECK(ops::scatter_add(queue, f32({4, 0}), f32({9, 0}), i32({9, 1}), 0).path == "none");
    CHECK(made.log->launches.empty());
    CHECK(ops::scatter_add(queue, out, in, indices, 0).path == "portable");
    CHECK(made.log->launches.back().kernel == "scatter_elements");
    CHECK(ops::scatter_add(queue, f32({4, 60}), f32({9, 60}), i32({9, 1}), 0).path == "portable");
    CHECK(made.log->launches.back().kernel == "scatter_rows"); // one index for each whole row
}

TEST_CASE_FIXTURE(World, "embedding_backward") {
    const Tensor table = f32({5, 40}), gradient = f32({2, 3, 40}), indices = i32({2, 3});
    refused(made, "embedding_backward", {"gradient is f32[2, 3, 41]", "[2, 3, 40]"}, [&] {
        ops::embedding_backward(queue, table, f32({2, 3, 41}), indices);
    });
    refused(made, "embedding_backward", {"gradient is f32[6, 40]", "rank must be 3"}, [&] {
        ops::embedding_backward(queue, table, f32({6, 40}), indices);
    });
    refused(made, "embedding_backward", {"table_gradient is f32[5]", "rank"},
            [&] { ops::embedding_backward(queue, f32({5}), gradient, indices); });
    refused(made, "embedding_backward", {"evenly spaced", "contiguous"}, [&] {
        ops::embedding_backward(queue, table, gradient, i32({3, 2}).view().transposed(0, 1));
    });
    refused(made, "embedding_backward", {"overlap"}, [&] { ops::embedding_backward(queue, table, table, i32({5})); });
    CHECK(ops::embedding_backward(queue, f32({0, 40}), gradient, indices).path == "none");
    CHECK(ops::embedding_backward(queue, table, f32({0, 40}), i32({0})).path == "portable"); // zeros
    REQUIRE(made.log->launches.size() == 1);
    CHECK(made.log->launches[0].kernel == "fill");
    CHECK(ops::embedding_backward(queue, table, f32({0, 40}), i32({0}), {.accumulate = true}).path == "none");
    CHECK(ops::embedding_backward(queue, table, gradient, indices).path == "portable");
    CHECK(made.log->launches.back().kernel == "scatter_rows");
}
