#include "refused.hpp"
#include <devq/ops/gather.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "gather") {
    const Tensor in = f32({4, 6}), out = f32({4, 3}), indices = i32({4, 3});
    refused(made, "gather", {"no axis 2"}, [&] { ops::gather(queue, out, in, indices, 2); });
    refused(made, "gather", {"out is f32[4, 3]", "[4, 6]", "but along the axis"}, [&] {
        ops::gather(queue, out, in, i32({4, 1}), 0);
    });
    refused(made, "gather", {"out is f32[12]", "rank"}, [&] { ops::gather(queue, f32({12}), in, indices, 1); });
    refused(made, "gather", {"indices is i32[4, 2]", "broadcast"}, [&] {
        ops::gather(queue, out, in, i32({4, 2}), 1);
    });
    refused(made, "gather", {"indices is f32"}, [&] { ops::gather(queue, out, in, f32({4, 3}), 1); });
    refused(made, "gather", {"f16", "types differ"}, [&] {
        ops::gather(queue, tensor(DType::f16, {4, 3}), in, indices, 1);
    });
    refused(made, "gather", {"u8"}, [&] {
        ops::gather(queue, tensor(DType::u8, {4, 3}), tensor(DType::u8, {4, 6}), indices, 1);
    });
    refused(made, "gather", {"overlap"}, [&] { ops::gather(queue, in.view().sliced(1, 0, 3), in, indices, 1); });
    CHECK(ops::gather(queue, f32({4, 0}), in, i32({1}), 1).path == "none");
    CHECK(ops::gather(queue, out, f32({4, 0}), indices, 1).path == "portable");
    CHECK(ops::gather(queue, f32({9, 40}), f32({5, 40}), i32({9, 1}), 0).path == "portable");
    REQUIRE(made.log->launches.size() == 2);
    CHECK(made.log->launches[0].kernel == "gather_elements");
    CHECK(made.log->launches[1].kernel == "gather_rows"); // one index for each whole row
}

TEST_CASE_FIXTURE(World, "embedding") {
    const Tensor table = f32({9, 4});
    refused(made, "embedding", {"out is f32[2, 4]", "[2, 3, 4]"}, [&] {
        ops::embedding(queue, f32({2, 4}), table, i32({2, 3}));
    });
    refused(made, "embedding", {"table is f32[9]", "rank"}, [&] {
        ops::embedding(queue, f32({2, 9}), f32({9}), i32({2}));
    });
    refused(made, "embedding", {"indices", "rank 7"}, [&] {
        ops::embedding(queue, f32({2, 4}), table, i32({1, 1, 1, 1, 1, 1, 1, 2}));
    });
    CHECK(ops::embedding(queue, f32({2, 3, 4}), table, i32({2, 3})).path == "portable");
    CHECK(ops::embedding(queue, f32({2, 0, 4}), table, i32({2, 0})).path == "none");
}
