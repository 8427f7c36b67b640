#include "refused.hpp"
#include <devq/ops/mse.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "mse_loss") {
    const Tensor loss = f32({1}), x = f32({4, 6}), target = f32({4, 6});
    refused(made, "mse_loss", {"target is f32[6]", "as x's"}, [&] { ops::mse_loss(queue, loss, x, f32({6})); });
    refused(made, "mse_loss", {"target is bf16", "types differ"}, [&] {
        ops::mse_loss(queue, loss, x, tensor(DType::bf16, {4, 6}));
    });
    refused(made, "mse_loss", {"loss is f32[4, 6]", "one element"}, [&] { ops::mse_loss(queue, target, x, x); });
    refused(made, "mse_loss", {"loss is f32[1]", "per_element"},
            [&] { ops::mse_loss(queue, loss, x, target, {.per_element = true}); });
    refused(made, "mse_loss", {"loss is f16"}, [&] { ops::mse_loss(queue, tensor(DType::f16, {1}), x, target); });
    refused(made, "mse_loss", {"gradient is f32[6, 4]"}, [&] {
        ops::mse_loss(queue, loss, x, target, {.gradient = f32({6, 4}).view()});
    });
    refused(made, "mse_loss", {"loss", "x", "overlap"},
            [&] { ops::mse_loss(queue, x.view().sliced(0, 1, 1).sliced(1, 2, 1), x, target); });
    refused(made, "mse_loss", {"scale_factor", "one element"},
            [&] { ops::mse_loss(queue, loss, x, target, {.scale_factor = f32({2}).view()}); });
    refused(made, "mse_loss", {"no mean over nothing"}, [&] { ops::mse_loss(queue, loss, f32({0}), f32({0})); });
    CHECK(ops::mse_loss(queue, f32({0}), f32({0}), f32({0}), {.per_element = true}).path == "none");
    CHECK(ops::mse_loss(queue, loss, x, target, {.gradient = x.view()}).path == "portable");
    CHECK(ops::mse_loss(queue, target, x, f32({1, 1}).view().broadcast_to({4, 6}), {.per_element = true}).path ==
          "portable");
    REQUIRE(made.log->launches.size() == 3);
    CHECK(made.log->launches[1].kernel == "mse_mean");
}
