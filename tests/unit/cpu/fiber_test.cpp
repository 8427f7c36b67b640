#include "support.hpp"
#include <cstdio>
#include <doctest/doctest.h>
#include <random>

using namespace devq;
using namespace devq::test;

namespace {

/// Tree sum of a group's part in local memory, a barrier a level.
void reduce(const devq_host_dispatch* dispatch, devq_u64 group, const devq_u64* id) {
    const auto* in = pointer<std::uint32_t>(dispatch, 0);
    auto* out = pointer<std::uint32_t>(dispatch, 1);
    auto* part = pointer<std::uint32_t>(dispatch, 2);
    const devq_u64 size = dispatch->local_size[0], i = id[0];
    part[i] = in[group * size + i];
    dispatch->barrier(dispatch->barrier_context);
    for (devq_u64 half = size / 2; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        dispatch->barrier(dispatch->barrier_context);
    }
    if (i == 0)
        out[group] = part[0];
}

/// Each item passes its value on to the neighbour, many times.
void rotate(const devq_host_dispatch* dispatch, devq_u64 group, const devq_u64* id) {
    auto* part = static_cast<std::uint32_t*>(dispatch->local_memory);
    const devq_u64 sx = dispatch->local_size[0], sy = dispatch->local_size[1], sz = dispatch->local_size[2];
    const devq_u64 size = sx * sy * sz, i = (id[2] * sy + id[1]) * sx + id[0];
    std::uint32_t mine = static_cast<std::uint32_t>(i);
    for (devq_u64 round = 0; round < size; ++round) {
        part[i] = mine;
        dispatch->barrier(dispatch->barrier_context);
        mine = part[(i + 1) % size];
        dispatch->barrier(dispatch->barrier_context);
    }
    pointer<std::uint32_t>(dispatch, 0)[group * size + i] = mine;
}

} // namespace

TEST_CASE("sums with barriers are right for every group size") {
    const Bench bench(3);
    const auto queue = bench.queue();
    std::mt19937 random(11);
    for (std::size_t size : {1, 2, 8, 64, 256, 1024}) {
        CAPTURE(size);
        const std::size_t groups = 40;
        const auto in = bench.memory(groups * size * 4), out = bench.memory(groups * 4);
        std::vector<std::uint32_t> wanted(groups);
        for (std::size_t i = 0; i < groups * size; ++i) {
            data<std::uint32_t>(in)[i] = static_cast<std::uint32_t>(random());
            wanted[i / size] += data<std::uint32_t>(in)[i];
        }
        queue->launch(item_kernel(reduce, true), range(groups * size, size),
                      {{buffer(in), buffer(out), local(size * 4)}});
        queue->wait();
        CHECK(std::memcmp(out->host_address(), wanted.data(), groups * 4) == 0);
    }
}

TEST_CASE("items keep their own state from barrier to barrier, in three dimensions") {
    const Bench bench(2);
    const auto queue = bench.queue();
    backend::LaunchRange over;
    over.global = {8, 6, 6};
    over.local = {4, 3, 2};
    over.dimensions = 3;
    const std::size_t items = 8 * 6 * 6, size = 24;
    const auto out = bench.memory(items * 4);
    queue->launch(item_kernel(rotate, true, size * 4), over, {{buffer(out)}});
    queue->wait();
    bool good = true;
    for (std::size_t i = 0; i < items; ++i) // once round: each has its own value again
        good = good && data<std::uint32_t>(out)[i] == i % size;
    CHECK(good);
}

TEST_CASE("a group of one item passes its barriers") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto in = bench.memory(400), out = bench.memory(400);
    for (int i = 0; i < 100; ++i)
        data<std::uint32_t>(in)[i] = static_cast<std::uint32_t>(i * i);
    queue->launch(item_kernel(reduce, true), range(100, 1), {{buffer(in), buffer(out), local(4)}});
    queue->wait();
    CHECK(std::memcmp(in->host_address(), out->host_address(), 400) == 0);
}

TEST_CASE("a fiber's stack holds a kernel's private arrays") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto out = bench.memory(4 * 64);
    const auto kernel = item_kernel(
        [](const devq_host_dispatch* dispatch, devq_u64, const devq_u64* id) {
            volatile unsigned char mine[64 << 10];
            for (std::size_t i = 0; i < sizeof mine; i += 512)
                mine[i] = static_cast<unsigned char>(id[0]);
            dispatch->barrier(dispatch->barrier_context);
            std::uint32_t sum = 0;
            for (std::size_t i = 0; i < sizeof mine; i += 512)
                sum += mine[i];
            pointer<std::uint32_t>(dispatch, 0)[id[0]] = sum;
        },
        true);
    queue->launch(kernel, range(64, 64), {{buffer(out)}});
    queue->wait();
    bool good = true;
    for (std::uint32_t i = 0; i < 64; ++i)
        good = good && data<std::uint32_t>(out)[i] == 128 * i;
    CHECK(good);
}

TEST_CASE("without barriers the items of a group need no fiber") {
    const Bench bench(2);
    const auto queue = bench.queue();
    const auto out = bench.memory(4 * 96);
    const auto kernel = item_kernel(
        [](const devq_host_dispatch* dispatch, devq_u64 group, const devq_u64* id) {
            const devq_u64 i = group * dispatch->local_size[0] + id[0];
            pointer<std::uint32_t>(dispatch, 0)[i] = static_cast<std::uint32_t>(i + 1);
        },
        false);
    queue->launch(kernel, range(96, 32), {{buffer(out)}});
    queue->wait();
    bool good = true;
    for (std::uint32_t i = 0; i < 96; ++i)
        good = good && data<std::uint32_t>(out)[i] == i + 1;
    CHECK(good);
}
