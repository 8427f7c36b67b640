// The suite tests itself: a judge that lets a planted fault through is worse than none.
#include "../seed.hpp"
#include "bounds.hpp"
#include "judge.hpp"
#include "run.hpp"
#include "suite.hpp"
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <devq/dtype.hpp>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <sstream>

using namespace devq;
using namespace devq::conformance;

namespace {

/// Judges `values`, stored as `type`, against `expected`.
Judge judged(DType type, const std::vector<double>& values, const std::vector<Expected>& expected) {
    Judge judge(type);
    std::array<std::byte, 8> element{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        encode(type, values[i], element.data());
        judge.see(static_cast<std::int64_t>(i), element.data(), expected[i]);
    }
    return judge;
}
Judge judged(DType type, double value, const Expected& expected) {
    return judged(type, std::vector{value}, std::vector{expected});
}

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("an element is right up to its limit and wrong beyond it") {
    const Expected expected{1.0, 0.25};
    const double limit = limit_of(expected, format_of(DType::f32));
    CHECK(limit == doctest::Approx(0.25).epsilon(1e-6));
    CHECK(judged(DType::f32, 1.0 + 0.2499, expected).wrong() == 0);
    const Judge over = judged(DType::f32, 1.0 + 0.2501, expected);
    CHECK(over.wrong() == 1);
    REQUIRE(over.worst());
    CHECK(over.worst()->index == 0);
    CHECK(over.worst()->value == doctest::Approx(1.2501));
    CHECK(over.worst()->limit == doctest::Approx(limit));
    CHECK(judged(DType::f32, 1.0 - 0.2501, expected).wrong() == 1);
}

TEST_CASE("one unit in the last place too many is seen, in every type") {
    for (const DType type : storage_types) {
        CAPTURE(to_string(type));
        const double u = format_of(type).unit_roundoff();
        const Expected expected{1.5, epsilon * 1.5};
        CHECK(judged(type, 1.5, expected).wrong() == 0);
        CHECK(judged(type, 1.5 + 4 * u, expected).wrong() == 1); // two steps up
        CHECK(judged(type, 1.5 - 4 * u, expected).wrong() == 1);
    }
    // bf16 cut off instead of rounded: 1.9 of a unit is lost, and one is allowed.
    const double reference = 1.0 + 1.9 * 0x1p-8;
    CHECK(judged(DType::bf16, 1.0 + 2 * 0x1p-8, {reference}).wrong() == 0);
    CHECK(judged(DType::bf16, 1.0, {reference}).wrong() == 1);
}

TEST_CASE("a wrong edge tile is seen although the mean square error is tiny") {
    Random random(1);
    std::vector<double> values;
    std::vector<Expected> expected;
    for (int i = 0; i < 100000; ++i) {
        const double value = round_to(DType::f32, random.uniform(-1, 1));
        values.push_back(value);
        expected.push_back({value, 1e-6});
    }
    values[99999] += 1e-3;
    const Judge judge = judged(DType::f32, values, expected);
    CHECK(judge.nmse() < 1e-10);
    CHECK(judge.wrong() == 1);
    REQUIRE(judge.worst());
    CHECK(judge.worst()->index == 99999);
    CHECK(judge.complaint() == "is further off than its limit");
}

TEST_CASE("NaN and infinity must agree") {
    const double big = 1e30;
    CHECK(judged(DType::f32, quiet_nan, {quiet_nan}).wrong() == 0);
    CHECK(judged(DType::f32, 1.0, {quiet_nan}).wrong() == 1);
    CHECK(judged(DType::f32, infinite, {quiet_nan}).wrong() == 1);
    CHECK(judged(DType::f32, quiet_nan, {1.0, big}).wrong() == 1);
    CHECK(judged(DType::f32, quiet_nan, {infinite}).wrong() == 1);
    CHECK(judged(DType::f32, infinite, {infinite}).wrong() == 0);
    CHECK(judged(DType::f32, -infinite, {infinite}).wrong() == 1);
    CHECK(judged(DType::f32, infinite, {1.0, big}).wrong() == 1);
    CHECK(judged(DType::f32, 1.0, {infinite}).wrong() == 1);
    CHECK(judged(DType::f32, quiet_nan, Expected::exactly(1)).wrong() == 1);
    CHECK(judged(DType::f32, quiet_nan, Expected::anything()).wrong() == 0);
}

TEST_CASE("overflow: infinity exactly where rounding gives it") {
    CHECK(format_of(DType::f16).overflow_threshold() == 65520);
    CHECK(judged(DType::f16, infinite, {65519.0}).wrong() == 1);
    CHECK(judged(DType::f16, 65504.0, {65519.0}).wrong() == 0);
    CHECK(judged(DType::f16, infinite, {65520.0}).wrong() == 0);
    CHECK(judged(DType::f16, 65504.0, {65530.0}).wrong() == 1);
    CHECK(judged(DType::f16, infinite, {65519.0, 2.0}).wrong() == 0); // arithmetic may have carried it over
    CHECK(judged(DType::f16, 65504.0, {65521.0, 2.0}).wrong() == 0);
    CHECK(judged(DType::f16, -infinite, {65530.0, 2.0}).wrong() == 1);
    CHECK(judged(DType::f32, infinite, {1e39}).wrong() == 0);
    CHECK(judged(DType::bf16, 0x1.fep127, {1e39}).wrong() == 1);
}

TEST_CASE("exact means the value and the sign of zero") {
    CHECK(judged(DType::f32, -0.0, Expected::exactly(-0.0)).wrong() == 0);
    CHECK(judged(DType::f32, 0.0, Expected::exactly(-0.0)).wrong() == 1);
    CHECK(judged(DType::f32, 1 + 0x1p-23, Expected::exactly(1)).wrong() == 1);
    CHECK(judged(DType::f32, 0x1p-149, Expected::exactly(0)).wrong() == 1);
    CHECK(judged(DType::i32, 4, Expected::exactly(4)).wrong() == 0);
    CHECK(judged(DType::i32, 5, Expected::exactly(4)).wrong() == 1);
    CHECK(judged(DType::i32, 5, {4}).wrong() == 1); // no tolerance for integers either way
}

TEST_CASE("an element that was never written is wrong, also where NaN or anything is expected") {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8, DType::i32, DType::u64}) {
        CAPTURE(to_string(type));
        std::array<std::byte, 8> element{};
        poison(type, element.data());
        for (const Expected& expected :
             {Expected{quiet_nan}, Expected::anything(), Expected{0, 1e30}, Expected::exactly(quiet_nan)}) {
            Judge judge(type);
            judge.see(0, element.data(), expected);
            CHECK(judge.wrong() == 1);
            CHECK(judge.complaint() == "was never written");
        }
        if (is_floating(type))
            CHECK(std::isnan(decode(type, element.data()))); // read by mistake, it shows
    }
}

TEST_CASE("conversions of the suite agree with devq's, both ways") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double f16 = decode(DType::f16, reinterpret_cast<const std::byte*>(&half));
        const double bf16 = decode(DType::bf16, reinterpret_cast<const std::byte*>(&half));
        const bool same =
            std::bit_cast<std::uint32_t>(f32_from_f16(half)) == std::bit_cast<std::uint32_t>(static_cast<float>(f16)) &&
            std::bit_cast<std::uint32_t>(f32_from_bf16(half)) == std::bit_cast<std::uint32_t>(static_cast<float>(bf16));
        CHECK_MESSAGE((same || std::isnan(f16) || std::isnan(bf16)), "bits ", bits);
    }
    const std::uint64_t seed = tests::fresh_seed("conversions");
    Random random(seed);
    int different = 0;
    for (int i = 0; i < 200000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
        if (std::isnan(value))
            continue;
        for (const DType type : {DType::f16, DType::bf16}) {
            std::uint16_t mine = 0;
            encode(type, value, reinterpret_cast<std::byte*>(&mine));
            different += mine != (type == DType::f16 ? f16_from_f32(value) : bf16_from_f32(value)) ? 1 : 0;
        }
    }
    CHECK(different == 0);
}

TEST_CASE("rounding is once, to nearest even") {
    CHECK(round_to(DType::f16, 1 + 0x1p-11) == 1);
    CHECK(round_to(DType::f16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10); // by way of f32 it would be 1
    CHECK(round_to(DType::f16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
    CHECK(round_to(DType::f16, 0x1p-25) == 0);
    CHECK(round_to(DType::f16, 0x1.8p-25) == 0x1p-24);
    CHECK(round_to(DType::bf16, 0x1p-133) == 0x1p-133);
    CHECK(round_to(DType::f32, 0x1p-150) == 0);
    CHECK(round_to(DType::f16, 65520) == infinite);
    CHECK(round_to(DType::i8, 2.5) == 2);
}

TEST_CASE("layouts say where elements lie") {
    CHECK(packed({3, 5}).at({2, 4}) == 14);
    CHECK(packed({3, 5}).span() == 15);
    CHECK(packed({}).span() == 1);
    CHECK(packed({0, 5}).span() == 0);
    CHECK(gapped({3, 5}, 2).at({1, 0}) == 7);
    CHECK(gapped({3, 5}, 2).span() == 19);
    CHECK(swapped({3, 5}, 0, 1).at({1, 2}) == 7);
    CHECK(stepped({3, 5}, 2).at({1, 1}) == 12);
    CHECK(repeated({3, 5}, 1).at({2, 4}) == 4);
    CHECK(repeated({3, 5}, 1).span() == 5);
    CHECK(shifted(packed({3}), 1).at({2}) == 3);
    CHECK(shifted(gapped({3, 5}, 2), 1).text() == "3x5 gap2 off1");
    std::int64_t count = 0;
    for_each_index({2, 3, 4}, [&](const Index& index, std::int64_t linear) {
        CHECK(linear == count++);
        CHECK(packed({2, 3, 4}).at(index) == linear);
    });
    CHECK(count == 24);
    for_each_index({2, 0}, [&](const Index&, std::int64_t) { FAIL("no element here"); });
}

TEST_CASE("exceptions: a known failure is skipped, a stale one fails, one without a case is named") {
    DeviceInfo device;
    device.backend = "opencl";
    device.name = "pthread-something";
    const Case test{"matmul", "f16", "m1 n1 k1 nn", {}, false};
    const Exception list[] = {{"cpu", "", "matmul", "", "", "other backend", false},
                              {"opencl", "pthread*", "mat*", "f16", "", "its driver is wrong", false}};
    const Exception* const found = find_exception(list, device, test);
    REQUIRE(found == &list[1]);
    CHECK(find_exception(list, device, {"add", "f16", "m1 n1 k1 nn", {}, false}) == nullptr);

    Result result;
    result.test = &test;
    result.status = Status::failed;
    result.reason = "wrong";
    CHECK(excuse(result, *found).status == Status::skipped);
    CHECK(excuse(result, *found).reason == "known: its driver is wrong (wrong)");
    result.status = Status::passed;
    CHECK(excuse(result, *found).status == Status::failed);

    const Exception absent[] = {{"", "", "no_such_operation", "", "", "gone", false}};
    CHECK(exceptions_without_case(absent).size() == 1);
    CHECK(exceptions_without_case(list).empty());
    CHECK(exceptions_without_case(known_exceptions()).empty());
}

TEST_CASE("the list of cases: distinct names, at least 800, all types, a quick spread over every operation") {
    std::set<std::string> names, operations, quick_operations;
    for (const Case& test : all_cases()) {
        CHECK_MESSAGE(names.insert(test.name()).second, "twice: ", test.name());
        CHECK(dtype_from_string(test.dtype) >= DType::f32);
        operations.insert(test.op + " " + test.dtype);
        if (test.quick)
            quick_operations.insert(test.op + " " + test.dtype);
    }
    CHECK(names.size() >= 800);
    CHECK(operations == quick_operations);
    CHECK(select({.quick = true}).size() * 2 < select({}).size());
    CHECK(select({.op = "reduce_*", .dtype = "bf16"}).size() > 50);
    CHECK(select({.op = "no_such"}).empty());
    const Case& one = *select({.op = "matmul", .dtype = "f16"}).front();
    CHECK(repeat_command("cpu:0", 7, one) ==
          "devq test --device 'cpu:0' --op matmul --dtype f16 --shape '" + one.shape + "' --seed 7");
    // The command must find its case and no other: no name is a pattern that matches a second one.
    for (const Case& test : all_cases())
        CHECK_MESSAGE(select({.op = test.op, .dtype = test.dtype, .shape = test.shape}).size() == 1, test.name());
}

TEST_CASE("docs/accuracy.md lists the bounds that the suite applies") {
    std::ifstream file(DEVQ_SOURCE_ROOT "/docs/accuracy.md");
    std::stringstream text;
    text << file.rdbuf();
    REQUIRE_MESSAGE(!text.str().empty(), "docs/accuracy.md cannot be read");
    for (const FunctionBound& bound : function_bounds) {
        std::ostringstream row;
        row << "| " << bound.name << " | " << bound.roundings << " | " << bound.terms << " | " << bound.why << " |\n";
        CHECK_MESSAGE(text.str().find(row.str()) != std::string::npos, "missing row: ", row.str());
    }
}

TEST_CASE("the planted faults of ./dev mutate still fit their files") {
    CHECK(std::system("sh '" DEVQ_SOURCE_ROOT "/tests/mutate/run' --check") == 0);
}
