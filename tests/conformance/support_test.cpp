// Mode support, and the search for the smallest failure.
#include "smallest.hpp"
#include "support.hpp"
#include <devq/devq.hpp>
#include <doctest/doctest.h>

using namespace devq;
using namespace devq::conformance;

TEST_CASE("support comes from a run, a gap needs a reason, a gap that is none is stale") {
    const Queue queue = open_device("cpu:0").create_queue();
    const SupportRow add = try_support(queue, "add", "f16", 1, false);
    CHECK(add.supported);
    CHECK(add.paths == std::vector<std::string>{"portable"});
    REQUIRE(add.smallest.test != nullptr);
    CHECK(add.smallest.elements > 0);
    CHECK(add.smallest.elements <= 8);

    const SupportRow count = try_support(queue, "count_step", "f16", 1, false);
    CHECK_FALSE(count.supported);
    CHECK_FALSE(count.failed);
    CHECK(count.reason.find("i32") != std::string::npos);

    CHECK(try_support(queue, "count_step", "f16", 1, false, {}).failed); // no cases, no reason
    const Gap stale[] = {{"add", "f*", "planted"}}, empty[] = {{"count_step", "*", ""}};
    CHECK(try_support(queue, "add", "f16", 1, false, stale).failed);
    CHECK(try_support(queue, "count_step", "f16", 1, false, empty).failed);
}

TEST_CASE("support shows every operation that has cases, in f32, f16 and bf16 at least; each gap names one of them") {
    const auto rows = support_rows({});
    const auto has = [&](const std::string& op, const std::string& dtype) {
        return std::find(rows.begin(), rows.end(), std::pair(op, dtype)) != rows.end();
    };
    for (const Case& test : all_cases()) {
        CHECK(has(test.op, test.dtype));
        for (const DType type : storage_types)
            CHECK(has(test.op, std::string(to_string(type))));
    }
    for (const Gap& gap : known_gaps()) {
        CAPTURE(gap.op);
        CHECK_FALSE(support_rows({.op = std::string(gap.op), .dtype = std::string(gap.dtype)}).empty());
        CHECK_FALSE(gap.reason.empty());
    }
    CHECK(support_rows({.op = "ad?", .dtype = "f32"}).size() == 1);
}

TEST_CASE("the smallest failure is the one of the fewest elements, of each operation and type") {
    const Queue queue = open_device("cpu:0").create_queue();
    CHECK(size_hint("b4 m33 n2") == 4 * 33 * 2);
    CHECK(size_hint("0x5 gap3") == 0);
    CHECK(size_hint("scalar") == 1);
    CHECK(size_hint("7 momentum 0") == 7);
    std::vector<Result> results;
    for (const Case* const test : select({.op = "add", .dtype = "f*"})) {
        results.push_back(run_case(queue, *test, 1));
        results.back().status = Status::failed; // planted
    }
    const std::vector<Result> found = smallest_failures(queue, results, 1);
    REQUIRE(found.size() == 2);
    for (const Result& least : found)
        for (const Result& result : results)
            CHECK((result.test->dtype != least.test->dtype || result.elements >= least.elements));
    results.resize(1); // the others are tried, and pass
    REQUIRE(smallest_failures(queue, results, 1).size() == 1);
    CHECK(smallest_failures(queue, results, 1).front().test == results.front().test);
    results.front().status = Status::passed;
    CHECK(smallest_failures(queue, results, 1).empty());
}

TEST_CASE("two cases of one name are a mistake") {
    std::vector<Case> cases{{"add", "f32", "3", {}}, {"add", "f32", "4", {}}};
    CHECK_NOTHROW(finish_cases(cases, false));
    cases.push_back(cases.front());
    CHECK_THROWS(finish_cases(cases, false));
}
