#include "refused.hpp"
#include <devq/ops/histogram.hpp>
#include <devq/ops/scan.hpp>
#include <limits>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "scan") {
    const Tensor in = f32({4, 6}), out = f32({4, 6});
    refused(made, "scan", {"no axis 2"}, [&] { ops::scan(queue, out, in, {.axis = 2}); });
    refused(made, "scan", {"in is f32[4, 6]", "[4, 5]"}, [&] { ops::scan(queue, f32({4, 5}), in); });
    refused(made, "scan", {"types differ"}, [&] { ops::scan(queue, out, tensor(DType::bf16, {4, 6})); });
    refused(made, "scan", {"i64"}, [&] { ops::scan(queue, tensor(DType::i64, {4}), tensor(DType::i64, {4})); });
    refused(made, "scan", {"overlap without being the same view"}, [&] {
        const Tensor both = f32({5, 6});
        ops::scan(queue, both.view().sliced(0, 0, 4), both.view().sliced(0, 1, 4));
    });
    CHECK(ops::scan(queue, f32({0, 6}), f32({0, 6})).path == "none");
    CHECK(ops::scan(queue, in, in).path == "portable");
    CHECK(ops::scan(queue, out, in, {.axis = 0}).path == "portable");
    CHECK(ops::scan(queue, f32({100000}), f32({100000})).path == "portable");
    REQUIRE(made.log->launches.size() == 4);
    CHECK(made.log->launches[0].kernel == "scan_rows");
    CHECK(made.log->launches[1].kernel == "scan_columns");
    CHECK(made.log->launches[2].kernel == "scan_sums"); // a long row is shared out
    CHECK(made.log->launches[3].kernel == "scan_rows");
}

TEST_CASE_FIXTURE(World, "histogram") {
    const Tensor in = f32({4, 6}), counts = i32({10});
    constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    refused(made, "histogram", {"counts is f32"}, [&] { ops::histogram(queue, f32({10}), in, 0, 1); });
    refused(made, "histogram", {"rank must be 1"}, [&] { ops::histogram(queue, i32({2, 5}), in, 0, 1); });
    refused(made, "histogram", {"i32[4, 6]"}, [&] { ops::histogram(queue, counts, i32({4, 6}), 0, 1); });
    for (const auto& [low, high] : {std::pair{1.0F, 1.0F},
                                    {2.0F, 1.0F},
                                    {0.0F, infinity},
                                    {-most, most},
                                    {std::numeric_limits<float>::quiet_NaN(), 1.0F},
                                    {0.0F, 1e-42F}})
        refused(made, "histogram", {"range", "10 bins"},
                [&, low = low, high = high] { ops::histogram(queue, counts, in, low, high); });
    refused(made, "histogram", {"2^24"}, [&] { ops::histogram(queue, i32({(1 << 24) + 1}), in, 0, 1); });
    refused(made, "histogram", {"32 bits"},
            [&] { ops::histogram(queue, counts, f32({1}).view().broadcast_to({std::int64_t{1} << 31}), 0, 1); });
    CHECK(ops::histogram(queue, i32({0}), in, 0, 1).path == "none");
    CHECK(ops::histogram(queue, counts, f32({0}), 0, 1).path == "portable"); // zeros
    CHECK(ops::histogram(queue, counts, in, 0, 1).path == "portable");
    CHECK(ops::histogram(queue, i32({5000}), in, 0, 1).path == "portable");
    CHECK(made.log->launches[2].kernel == "histogram_few");
    CHECK(made.log->launches.back().kernel == "histogram_many");
}
