#include "support.hpp"
#include <algorithm>
#include <numeric>

using namespace devq;
using namespace devq::opencl_test;

TEST_CASE("fills of every pattern size at odd offsets leave the rest alone") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    std::vector<unsigned char> pattern(16);
    std::iota(pattern.begin(), pattern.end(), static_cast<unsigned char>(1));
    for (const std::size_t size : {1u, 2u, 4u, 8u, 16u})
        for (const std::size_t first : {0u, 1u, 3u, 7u})
            for (const std::size_t count : {1u, 2u, 5u, 61u}) {
                CAPTURE(size);
                CAPTURE(first);
                CAPTURE(count);
                std::vector<unsigned char> expected(1100, 0xEE);
                const auto memory = upload(*device, *queue, expected);
                queue->fill(memory, first * size, count * size, pattern.data(), size);
                for (std::size_t i = 0; i < count * size; ++i)
                    expected[first * size + i] = pattern[i % size];
                CHECK(download<unsigned char>(*queue, memory, expected.size()) == expected);
            }
}

TEST_CASE("writes and reads at odd offsets and lengths") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    std::vector<unsigned char> expected(997, 7);
    const auto memory = upload(*device, *queue, expected);
    const std::pair<std::size_t, std::size_t> ranges[] = {{0, 1}, {1, 1}, {3, 64}, {511, 486}, {5, 0}};
    for (const auto& [offset, bytes] : ranges) {
        if (bytes == 0)
            continue;
        std::vector<unsigned char> part(bytes);
        std::iota(part.begin(), part.end(), static_cast<unsigned char>(offset));
        queue->write(memory, offset, part.data(), bytes);
        std::copy(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
        std::vector<unsigned char> back(bytes);
        queue->read(back.data(), memory, offset, bytes);
        queue->wait();
        CHECK(back == part);
    }
    CHECK(download<unsigned char>(*queue, memory, expected.size()) == expected);
}

TEST_CASE("the source of a write may change as soon as the call returns, small and large") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    for (const std::size_t count :
         {std::size_t{64}, std::size_t{1} << 16, (std::size_t{1} << 16) + 1, std::size_t{1} << 18}) {
        std::vector<int> data(count, 5);
        const auto memory = device->allocate(count * sizeof(int));
        queue->write(memory, 0, data.data(), count * sizeof(int));
        std::fill(data.begin(), data.end(), -1);
        const auto back = download<int>(*queue, memory, count);
        CHECK(std::count(back.begin(), back.end(), 5) == static_cast<std::ptrdiff_t>(count));
    }
}

TEST_CASE("many writes without a wait in between keep their own data") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    constexpr std::size_t slots = 300, count = 32768; // 128 KiB each: more in all than is staged at once
    const auto memory = device->allocate(slots * sizeof(int));
    const auto large = device->allocate(count * sizeof(int));
    std::vector<int> data(count);
    for (std::size_t i = 0; i < slots; ++i) {
        std::fill(data.begin(), data.end(), static_cast<int>(i));
        queue->write(large, 0, data.data(), count * sizeof(int));
        queue->copy(memory, i * sizeof(int), large, (count - 1) * sizeof(int), sizeof(int));
    }
    std::vector<int> expected(slots);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(download<int>(*queue, memory, slots) == expected);
}

TEST_CASE("copies between buffers and within one") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    std::vector<unsigned char> from(1000), to(1000, 9);
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
    const auto a = upload(*device, *queue, from), b = upload(*device, *queue, to);
    queue->copy(b, 3, a, 501, 97);
    queue->copy(a, 0, a, 900, 100);
    std::copy_n(from.begin() + 501, 97, to.begin() + 3);
    std::copy_n(from.begin() + 900, 100, from.begin());
    CHECK(download<unsigned char>(*queue, b, 1000) == to);
    CHECK(download<unsigned char>(*queue, a, 1000) == from);
}

TEST_CASE("a buffer let go while commands use it stays until they are done") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto queue = device->create_queue();
    const auto slow = kernel(*device,
                             "kernel void slow(global uint* x) { uint s = x[0]; for (uint i = 0; i < 20000000u; i++) "
                             "s = s * 1664525u + i; x[0] = s; }",
                             "slow");
    const auto sum = kernel(*device,
                            "kernel void sum(global int* to, global const int* from) { to[get_global_id(0)] += "
                            "from[get_global_id(0)]; }",
                            "sum");
    const auto first = upload<unsigned>(*device, *queue, {1});
    const auto total = upload(*device, *queue, std::vector<int>(4096, 1));
    queue->launch(slow, range(1), Arguments().buffer(first)); // what follows is still queued when its buffer goes
    for (int i = 0; i < 8; ++i) {
        const auto part = upload(*device, *queue, std::vector<int>(4096, i));
        queue->launch(sum, range(4096), Arguments().buffer(total).buffer(part));
    }
    std::vector<std::shared_ptr<backend::Memory>> others; // takes the place of what was let go
    for (int i = 0; i < 8; ++i)
        others.push_back(upload(*device, *queue, std::vector<int>(4096, 1000)));
    CHECK(download<int>(*queue, total, 4096) == std::vector<int>(4096, 29));
}
