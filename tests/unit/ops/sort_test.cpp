#include "refused.hpp"
#include <devq/ops/sort.hpp>
#include <set>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "sort and argsort") {
    const Tensor in = f32({4, 6}), values = f32({4, 6}), indices = i32({4, 6});
    refused(made, "sort", {"no axis 2"}, [&] { ops::sort(queue, values, in, {.axis = 2}); });
    refused(made, "sort", {"no axis -1", "rank 0"}, [&] { ops::sort(queue, f32({}), f32({})); });
    refused(made, "sort", {"values is f32[4, 5]", "[4, 6]"}, [&] { ops::sort(queue, f32({4, 5}), in); });
    refused(made, "sort", {"types differ"}, [&] { ops::sort(queue, tensor(DType::f16, {4, 6}), in); });
    refused(made, "sort", {"f64"}, [&] { ops::sort(queue, tensor(DType::f64, {4, 6}), tensor(DType::f64, {4, 6})); });
    refused(made, "sort", {"overlap"}, [&] { ops::sort(queue, in, in); });
    refused(made, "sort", {"indices is f32"}, [&] { ops::sort(queue, values, in, {.indices = f32({4, 6}).view()}); });
    refused(made, "sort", {"indices is i32[6, 4]"}, [&] {
        ops::sort(queue, values, in, {.indices = i32({6, 4}).view()});
    });
    refused(made, "sort", {"values", "indices", "overlap"}, [&] {
        const Tensor numbers = i32({4, 6}), both = i32({4, 6});
        ops::sort(queue, both, numbers, {.indices = both.view()});
    });
    const Dims long_rows{0, std::int64_t{1} << 31};
    refused(made, "sort", {"axis 1", "32 bits"}, [&] { ops::sort(queue, f32(long_rows), f32(long_rows)); });
    refused(made, "argsort", {"indices is f32"}, [&] { ops::argsort(queue, values, in); });
    refused(made, "argsort", {"[4, 6]"}, [&] { ops::argsort(queue, i32({6, 4}), in, 0); });
    CHECK(ops::sort(queue, f32({0, 6}), f32({0, 6})).path == "none");
    CHECK(ops::sort(queue, values, in, {.indices = indices.view()}).path == "portable");
    REQUIRE(made.log->launches.size() == 1);
    CHECK(made.log->launches[0].kernel == "sort_short");
}

TEST_CASE_FIXTURE(World, "which kernels sort: by the rows' length and number") {
    const auto launched = [&](const Dims& sizes, int axis) {
        const std::size_t before = made.log->launches.size();
        ops::argsort(queue, i32(sizes), f32(sizes), axis);
        std::set<std::string> names;
        for (std::size_t i = before; i < made.log->launches.size(); i++)
            names.insert(made.log->launches[i].kernel);
        return names;
    };
    using Names = std::set<std::string>;
    CHECK(launched({32, 100}, 0) == Names{"sort_short"});
    CHECK(launched({32, 100}, 1) == Names{"sort_keys", "radix_rows", "sort_write"});
    CHECK(launched({1, 3000}, 1) == Names{"sort_keys", "radix_rows", "sort_write"});
    CHECK(launched({1, 100000}, 1) == Names{"sort_keys", "radix_count", "radix_offsets", "radix_move", "sort_write"});
    CHECK(launched({2000, 5000}, 1) == Names{"sort_keys", "radix_rows", "sort_write"});
}

TEST_CASE_FIXTURE(World, "top_k") {
    const Tensor in = f32({4, 6}), values = f32({4, 3}), indices = i32({4, 3});
    refused(made, "top_k", {"k is 7", "6 elements"}, [&] { ops::top_k(queue, f32({4, 7}), i32({4, 7}), in); });
    refused(made, "top_k", {"values is f32[4, 3]", "[3, 3]"}, [&] { ops::top_k(queue, values, indices, f32({3, 6})); });
    refused(made, "top_k", {"indices is i32[4, 2]", "values'"}, [&] { ops::top_k(queue, values, i32({4, 2}), in); });
    refused(made, "top_k", {"rank"}, [&] { ops::top_k(queue, f32({3}), i32({3}), in); });
    CHECK(ops::top_k(queue, f32({4, 0}), i32({4, 0}), in).path == "none");
    CHECK(ops::top_k(queue, values, indices, in).path == "portable");
}
