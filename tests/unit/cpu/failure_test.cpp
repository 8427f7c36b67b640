#include "support.hpp"
#include <devq/error.hpp>
#include <doctest/doctest.h>

using namespace devq;
using namespace devq::test;

namespace {

void store_one(const devq_host_dispatch* dispatch, devq_u64, devq_u64) { *pointer<int>(dispatch, 0) = 1; }

/// Half of the items never come to the barrier.
void divergent(const devq_host_dispatch* dispatch, devq_u64, const devq_u64* id) {
    if (id[0] % 2 == 0)
        dispatch->barrier(dispatch->barrier_context);
}

void launch_divergent(backend::Queue& queue) { queue.launch(item_kernel(divergent, true), range(8, 4), {}); }

std::string failure_of(backend::Queue& queue) {
    try {
        queue.wait();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("a divergent barrier is a failure of the queue, thrown once; the queue goes on") {
    const Bench bench;
    const auto queue = bench.queue();
    const auto cell = bench.memory(4);
    launch_divergent(*queue);
    queue->launch(group_kernel(store_one), range(1), {{buffer(cell)}});
    const std::string text = failure_of(*queue);
    CHECK(text.find("barrier") != std::string::npos);
    CHECK(text.find("of_the_test") != std::string::npos);
    CHECK(*data<int>(cell) == 0); // dropped
    CHECK(failure_of(*queue).empty());
    queue->launch(group_kernel(store_one), range(1), {{buffer(cell)}});
    queue->wait();
    CHECK(*data<int>(cell) == 1);
}

TEST_CASE("events behind a failure carry it, those before it do not") {
    const Bench bench;
    const auto queue = bench.queue(), other = bench.queue();
    const auto before = queue->record();
    launch_divergent(*queue);
    const auto behind = queue->record();
    other->wait_for(behind);
    before->wait();
    CHECK_THROWS_AS(behind->wait(), Error);
    CHECK(behind->done());
    CHECK_THROWS_AS(behind->wait(), Error); // each time
    CHECK(failure_of(*other).find("barrier") != std::string::npos);
    CHECK(failure_of(*queue).find("barrier") != std::string::npos);
    CHECK(failure_of(*other).empty());
    const auto later = queue->record();
    later->wait();
}

TEST_CASE("the first of two failures is the one that is thrown") {
    const Bench bench;
    const auto queue = bench.queue();
    const auto single = [] {
        // A kernel for groups of one item only, launched with more.
        auto host = std::make_shared<devq_host_kernel>();
        host->name = "single";
        host->uses_barrier = 1;
        host->run_groups = [](const devq_host_dispatch*, devq_u64, devq_u64) {};
        return std::make_shared<cpu::Kernel>(*host, host);
    }();
    queue->launch(single, range(8, 4), {});
    launch_divergent(*queue);
    CHECK(failure_of(*queue).find("one work-item") != std::string::npos);
    CHECK(failure_of(*queue).empty());
    queue->launch(single, range(8, 1), {});
    CHECK(failure_of(*queue).empty());
}

TEST_CASE("a queue may go with a failure that nobody read") {
    const Bench bench;
    const auto cell = bench.memory(4);
    {
        const auto queue = bench.queue();
        launch_divergent(*queue);
        queue->launch(group_kernel(store_one), range(1), {{buffer(cell)}});
    }
    CHECK(*data<int>(cell) == 0);
}

TEST_CASE("failures on many threads at once") {
    const Bench bench(4);
    const auto queue = bench.queue();
    for (int round = 0; round < 20; ++round) {
        queue->launch(item_kernel(divergent, true), range(4096, 4), {});
        CHECK(failure_of(*queue).find("barrier") != std::string::npos);
    }
}
