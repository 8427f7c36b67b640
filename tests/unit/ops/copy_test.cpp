// What copy, concat, split, where and pad refuse.
#include "refused.hpp"
#include <devq/ops.hpp>

using namespace devq;
using ops_test::refused;
using ops_test::World;

TEST_CASE_FIXTURE(World, "copy, concat and split") {
    const Tensor a = f32({4, 6}), out = f32({4, 6});
    refused(made, "copy", {"types differ"}, [&] { ops::copy(queue, out, tensor(DType::i32, {4, 6})); });
    refused(made, "copy", {"broadcast"}, [&] { ops::copy(queue, out, f32({4, 5})); });
    refused(made, "copy", {"overlap"}, [&] { ops::copy(queue, a, a); });
    refused(made, "concat", {"no inputs"}, [&] { ops::concat(queue, out, {}, 0); });
    refused(made, "concat", {"no axis 2"}, [&] { ops::concat(queue, out, {a}, 2); });
    refused(made, "concat", {"only 4 of 6"}, [&] { ops::concat(queue, out, {f32({4, 4})}, 1); });
    refused(made, "concat", {"more than 6"}, [&] {
        ops::concat(queue, out, {f32({4, 4}), f32({4, 3}), f32({4, 1})}, 1);
    });
    refused(made, "concat", {"input 1 is f32[3, 2]"}, [&] { ops::concat(queue, out, {f32({4, 4}), f32({3, 2})}, 1); });
    refused(made, "concat", {"rank must be 2"}, [&] { ops::concat(queue, out, {f32({4})}, 1); });
    refused(made, "concat", {"overlap"}, [&] { // of another input's place
        ops::concat(queue, out, {f32({2, 6}), out.view().sliced(0, 0, 2)}, 0);
    });
    CHECK(ops::concat(queue, f32({4, 0}), {f32({4, 0})}, 1).path == "none");
    ops::concat(queue, out, {f32({4, 2}), f32({4, 0}), f32({4, 4})}, -1);
    CHECK(made.log->launches.size() == 2);
    refused(made, "split", {"no axis -3"}, [&] { ops::split(a, {1}, -3); });
    refused(made, "split", {"add up to 5"}, [&] { ops::split(a, {2, 3}, 1); });
    refused(made, "split", {"window of 5 from 2"}, [&] { ops::split(a, {2, 5}, 1); });
    refused(made, "split", {"window of -1 from 4"}, [&] { ops::split(a, {4, -1, 3}, -1); });
    const std::vector<TensorView> windows = ops::split(a, {1, 0, 5}, -1);
    REQUIRE(windows.size() == 3);
    CHECK(windows[2].offset() == 1);
    CHECK(windows[2].sizes() == Dims{4, 5});
}

TEST_CASE_FIXTURE(World, "where and pad") {
    const Tensor a = f32({4, 6}), out = f32({4, 6});
    const Tensor mask = tensor(DType::u8, {4, 6});
    refused(made, "where", {"b is f16"}, [&] { ops::where(queue, out, mask, a, tensor(DType::f16, {4, 6})); });
    refused(made, "where", {"condition is i32"}, [&] { ops::where(queue, out, tensor(DType::i32, {4, 6}), a, a); });
    refused(made, "where", {"broadcast"}, [&] { ops::where(queue, out, tensor(DType::u8, {4, 5}), a, a); });
    refused(made, "where", {"overlap"}, [&] { ops::where(queue, a, TensorView(a.buffer(), DType::u8, {4, 6}), a, a); });
    ops::where(queue, a, mask, a, out);
    ops::where(queue, a, a, out, out);
    CHECK(made.log->launches.size() == 2);
    const Tensor in = f32({2, 3});
    refused(made, "pad", {"mode is 9"}, [&] { ops::pad(queue, out, in, {1, 1}, static_cast<ops::Padding>(9)); });
    refused(made, "pad", {"before is [1]"}, [&] { ops::pad(queue, out, in, {1}); });
    refused(made, "pad", {"3 elements before it leave no room"}, [&] { ops::pad(queue, out, in, {3, 1}); });
    refused(made, "pad", {"rank must be 2"}, [&] { ops::pad(queue, out, f32({6}), {1, 1}); });
    refused(made, "pad", {"cannot give 1 elements before and 2 behind"}, [&] {
        ops::pad(queue, f32({5, 3}), in, {1, 0}, ops::Padding::reflect);
    });
    refused(made, "pad", {"circular"}, [&] { ops::pad(queue, f32({2, 7}), in, {0, 4}, ops::Padding::circular); });
    refused(made, "pad", {"replicate"}, [&] { ops::pad(queue, out, f32({4, 0}), {0, 0}, ops::Padding::replicate); });
    refused(made, "pad", {"not a value of type u8"}, [&] {
        ops::pad(queue, mask, tensor(DType::u8, {2, 3}), {1, 1}, ops::Padding::constant, 256);
    });
    refused(made, "pad", {"overlap"}, [&] { ops::pad(queue, a, a, {0, 0}); });
    ops::pad(queue, f32({2, 6}), in, {0, 1}, ops::Padding::reflect);
    CHECK(ops::pad(queue, out, f32({4, 0}), {0, 0}).path == "portable");
}
