#include "refused.hpp"
#include <devq/ops/softmax.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "log_softmax") {
    const Tensor in = f32({4, 6});
    refused(made, "log_softmax", {"no axis -3"}, [&] { ops::log_softmax(queue, f32({4, 6}), in, -3); });
    refused(made, "log_softmax", {"in is f32[4, 6]", "[6, 4]"}, [&] { ops::log_softmax(queue, f32({6, 4}), in); });
    refused(made, "log_softmax", {"types differ"}, [&] { ops::log_softmax(queue, tensor(DType::f16, {4, 6}), in); });
    refused(made, "log_softmax", {"overlap without being the same view"},
            [&] { ops::log_softmax(queue, in.view().sliced(0, 0, 3), in.view().sliced(0, 1, 3)); });
    CHECK(ops::log_softmax(queue, in, in, 0).path == "portable");
    CHECK(ops::log_softmax(queue, f32({0, 3}), f32({0, 3})).path == "none");
}

TEST_CASE_FIXTURE(World, "softmax_backward, log_softmax_backward") {
    const Tensor a = f32({4, 6}), b = f32({4, 6}), c = f32({4, 6});
    refused(made, "softmax_backward", {"no axis 2"}, [&] { ops::softmax_backward(queue, a, b, c, 2); });
    refused(made, "softmax_backward", {"out_gradient is f32[4, 5]"}, [&] {
        ops::softmax_backward(queue, a, f32({4, 5}), c);
    });
    refused(made, "softmax_backward", {"out is f32[6]"}, [&] { ops::softmax_backward(queue, a, b, f32({6})); });
    refused(made, "log_softmax_backward", {"out is f16", "types differ"}, [&] {
        ops::log_softmax_backward(queue, a, b, tensor(DType::f16, {4, 6}));
    });
    refused(made, "log_softmax_backward", {"in_gradient is i32", "f32, f16, bf16"}, [&] {
        ops::log_softmax_backward(queue, i32({4, 6}), b, c);
    });
    refused(made, "softmax_backward", {"out_gradient", "overlap"}, [&] {
        ops::softmax_backward(queue, b.view().sliced(0, 0, 3), b.view().sliced(0, 1, 3), f32({3, 6}));
    });
    CHECK(ops::softmax_backward(queue, a, a, c).path == "portable");
    CHECK(ops::log_softmax_backward(queue, c, b, c, 0).path == "portable");
    CHECK(ops::softmax_backward(queue, f32({4, 0}), f32({4, 0}), f32({4, 0})).path == "none");
    REQUIRE(made.log->launches.size() == 2);
    CHECK(made.log->launches[0].kernel == "softmax_backward_rows");
    CHECK(made.log->launches[1].kernel == "softmax_backward_columns");
}
