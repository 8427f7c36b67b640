#include "tool.hpp"
#include "tools/run_arguments.hpp"
#include "tools/run_compare.hpp"
#include <cmath>
#include <cstring>
#include <limits>

using devq::DType;
using devq::tools::Array;
using devq::tools::compare;
using devq::tools::Difference;

namespace {

Array f32(const std::vector<float>& values) {
    Array array{DType::f32, {static_cast<std::int64_t>(values.size())}, std::vector<std::byte>(values.size() * 4)};
    if (!values.empty())
        std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
}

} // namespace

TEST_CASE("differences are counted, and measured against the largest magnitude") {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    Difference difference = compare(f32({1, nan, inf, -inf, 0.0f}), f32({1, -nan, inf, -inf, -0.0f}), 0);
    CHECK(difference.differing == 0);
    CHECK(difference.elements == 5);

    difference = compare(f32({100, 1, 2}), f32({100, 1.5f, 2.25f}), 0.004);
    CHECK(difference.differing == 2);
    CHECK(difference.beyond == 1); // 0.5 > 0.4 ≥ 0.25
    CHECK(difference.largest == 0.5);
    CHECK(difference.index == 1);

    for (const auto& [a, b] : {std::pair{nan, 1.0f}, {inf, 1.0f}, {inf, -inf}, {1.0f, nan}}) {
        difference = compare(f32({1, a}), f32({1, b}), 1e9);
        CHECK(difference.beyond == 1);
        CHECK(difference.index == 1);
        CHECK(std::isinf(difference.largest));
    }
    const Array left{DType::i32, {1}, {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}}};
    const Array right{DType::i32, {1}, {std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}}};
    CHECK(compare(left, right, devq::tools::default_tolerance(DType::i32)).beyond == 1);
    CHECK(compare(f32({}), f32({}), 0).elements == 0);
    // Of 64 bits, also where they are the same number in f64.
    for (const auto& [a, b] : {std::pair{"buf:u64:1:18446744073709551615", "buf:u64:1:18446744073709551614"},
                               {"buf:i64:1:9007199254740993", "buf:i64:1:9007199254740992"}}) {
        difference = compare(devq::tools::parse_argument(a, 0).array, devq::tools::parse_argument(b, 0).array, 0);
        CHECK(difference.differing == 1);
        CHECK(difference.beyond == 1);
        CHECK(difference.largest == 1);
    }
}

TEST_CASE("every type's elements are read as what they are") {
    const auto argument = [](const std::string& text) { return devq::tools::parse_argument(text, 0).array; };
    for (const char* type : {"f32", "f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
        CHECK(devq::tools::element(argument("buf:" + std::string(type) + ":3:iota"), 2) == 2);
    CHECK(devq::tools::element(argument("buf:i8:1:-128"), 0) == -128);
    CHECK(devq::tools::element(argument("buf:f16:1:-0.5"), 0) == -0.5);
    CHECK(devq::tools::element(argument("buf:u64:1:18446744073709551615"), 0) == 0x1p64);
    CHECK(std::isinf(devq::tools::element(argument("buf:f32:1:inf"), 0)));
    CHECK(devq::tools::parse_argument("i64:-9223372036854775808", 0).value.back() == std::byte{0x80});
    CHECK(devq::tools::parse_argument("f32:1,2,3", 0).value.size() == 16);
}
