#include "refused.hpp"
#include <devq/ops/cross_entropy.hpp>
#include <limits>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "softmax_cross_entropy: ignored labels, smoothing, weights, count") {
    const Tensor loss = f32({4}), logits = f32({4, 10}), labels = i32({4}), count = f32({1});
    const auto with = [&](const ops::CrossEntropyOptions& options) {
        return ops::softmax_cross_entropy(queue, loss, logits, labels, options);
    };
    constexpr auto name = "softmax_cross_entropy";
    refused(made, name, {"label_smoothing is -0.1"}, [&] { with({.label_smoothing = -0.1f}); });
    refused(made, name, {"label_smoothing is 1.5"}, [&] { with({.label_smoothing = 1.5f}); });
    refused(made, name, {"label_smoothing is nan"},
            [&] { with({.label_smoothing = std::numeric_limits<float>::quiet_NaN()}); });
    refused(made, name, {"class_weights is f32[9]", "[10]"}, [&] { with({.class_weights = f32({9}).view()}); });
    refused(made, name, {"class_weights is f16"}, [&] { with({.class_weights = tensor(DType::f16, {10}).view()}); });
    refused(made, name, {"count is f32[2]", "one element"}, [&] { with({.count = f32({2}).view()}); });
    refused(made, name, {"divide_by_count without count"}, [&] { with({.divide_by_count = true}); });
    refused(made, name, {"loss", "count", "overlap"}, [&] { with({.count = loss.view().sliced(0, 1, 1)}); });
    refused(made, name, {"count", "logits", "overlap"},
            [&] { with({.count = logits.view().sliced(0, 1, 1).sliced(1, 1, 1)}); });
    refused(made, name, {"count", "class_weights", "overlap"}, [&] {
        const Tensor weights = f32({10});
        with({.class_weights = weights.view(), .count = weights.view().sliced(0, 3, 1)});
    });
    refused(made, name, {"gradient", "scale_factor", "overlap"},
            [&] { with({.gradient = logits.view(), .scale_factor = logits.view().sliced(0, 0, 1).sliced(1, 0, 1)}); });
    CHECK(with({.ignore_label = -100, .label_smoothing = 0.1f}).path == "portable");
    CHECK(with({.count = count.view(), .divide_by_count = true}).path == "portable");
    // Nothing to lose: the count is written all the same.
    CHECK(ops::softmax_cross_entropy(queue, f32({0}), f32({0, 10}), i32({0}), {.count = count.view()}).path ==
          "portable");
    REQUIRE(made.log->launches.size() == 4);
    CHECK(made.log->launches[1].kernel == "cross_entropy_count");
    CHECK(made.log->launches[3].kernel == "cross_entropy_count");
}
