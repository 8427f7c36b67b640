#include "support.hpp"
#include <cstring>
#include <devq/cuda.hpp>

using namespace devq;
using namespace devq::cuda_test;

TEST_CASE("CUDA: out of memory is told with what is free, and is no loss") {
    const Device device = open_device("cuda:0");
    std::vector<Buffer> buffers;
    for (int i = 0; i < 2; ++i)
        buffers.push_back(device.allocate(30 << 20));
    const std::string text = error_text(ErrorCode::out_of_memory, [&] { device.allocate(8 << 20); });
    CHECK(holds(text, "no 8388608 bytes of device memory (4194304 of 67108864 are free)"));
    CHECK(holds(text, "cuMemAlloc returned 2"));
    buffers.pop_back();
    CHECK(device.allocate(8 << 20).size() == 8 << 20);
    error_text(ErrorCode::invalid_argument, [&] { device.allocate(65 << 20); });
    CHECK(device.allocate(0).size() == 0);
}

TEST_CASE("CUDA: what is written is read, whatever becomes of the source") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    for (const std::size_t size : {1u, 3u, 4096u, 1u << 20, (5u << 20) + 17}) {
        CAPTURE(size);
        const Buffer buffer = device.allocate(size + 5);
        const std::vector<unsigned char> wanted = bytes_of(size, 7);
        std::vector<unsigned char> source = wanted;
        queue.write(buffer, 5, source.data(), size);
        std::memset(source.data(), 0, size);
        const std::vector<unsigned char> got = contents(queue, buffer);
        CHECK(std::memcmp(got.data() + 5, wanted.data(), size) == 0);
        CHECK(got[0] == 0xCD); // the stand-in's mark: untouched
    }
}

TEST_CASE("CUDA: many small writes, each from the same source") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(4 * 100000);
    for (unsigned i = 0; i < 100000; ++i)
        queue.write(buffer, 4 * i, &i, 4);
    const std::vector<unsigned char> got = contents(queue, buffer);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 100000; ++i)
        wrong += std::memcmp(got.data() + 4 * i, &i, 4) != 0;
    CHECK(wrong == 0);
}

TEST_CASE("CUDA: writes without memory that the device can read by itself") {
    const Faults fault("cuMemHostAlloc@1=2");
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(3000);
    const std::vector<unsigned char> wanted = bytes_of(3000, 9);
    queue.write(buffer, 0, wanted.data(), wanted.size());
    CHECK(contents(queue, buffer) == wanted);
}

TEST_CASE("CUDA: fills with patterns of every size") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const std::vector<unsigned char> distinct = bytes_of(16, 3), same(16, 0x5A);
    for (const std::vector<unsigned char>& pattern : {distinct, same})
        for (const std::size_t size : {1u, 2u, 4u, 8u, 16u})
            for (const std::size_t count : {1u, 2u, 3u, 1000u}) {
                CAPTURE(size);
                CAPTURE(count);
                static_cast<void>(trim_memory(device)); // the driver's memory has the stand-in's mark
                const Buffer buffer = device.allocate(size * (count + 2));
                queue.fill(buffer, size, size * count, pattern.data(), size);
                const std::vector<unsigned char> got = contents(queue, buffer);
                for (std::size_t i = 0; i < count; ++i)
                    REQUIRE(std::memcmp(got.data() + size * (i + 1), pattern.data(), size) == 0);
                for (std::size_t i = 0; i < size; ++i)
                    REQUIRE((got[i] == 0xCD && got[size * (count + 1) + i] == 0xCD));
            }
}

TEST_CASE("CUDA: copies within a device, between two, and to and from the CPU") {
    const Device one = open_device("cuda:0"), other = open_device("cuda:1"), cpu = open_device("cpu:0");
    const std::vector<unsigned char> bytes = bytes_of(100000, 11);
    for (const Device& from : {one, other, cpu})
        for (const Device& to : {one, other, cpu}) {
            CAPTURE(from.info().id);
            CAPTURE(to.info().id);
            const Queue queue = from.create_queue(), target = to.create_queue();
            const Buffer source = from.allocate(bytes.size()), destination = to.allocate(bytes.size() + 8);
            queue.write(source, 0, bytes.data(), bytes.size());
            target.wait_for(queue.record());
            target.copy(destination, 8, source, 0, bytes.size());
            const std::vector<unsigned char> got = contents(target, destination);
            CHECK(std::memcmp(got.data() + 8, bytes.data(), bytes.size()) == 0);
        }
}

TEST_CASE("CUDA: reads of every size, some of them beyond what is staged at a time") {
    for (const bool pinned : {true, false}) {
        CAPTURE(pinned);
        const Device device = open_device("cuda:0");
        const Queue queue = device.create_queue();
        constexpr std::size_t mebi = std::size_t{1} << 20;
        const std::vector<unsigned char> wanted = bytes_of(9 * mebi + 5, 3);
        const Buffer buffer = device.allocate(wanted.size());
        queue.write(buffer, 0, wanted.data(), wanted.size());
        queue.wait();
        const Faults fault(pinned ? "" : "cuMemHostAlloc@1=2");
        for (const std::size_t size : {std::size_t{1}, mebi - 1, mebi, mebi + 1, 4 * mebi, 4 * mebi + 1, 9 * mebi}) {
            CAPTURE(size);
            std::vector<unsigned char> got(size + 2, 0x77);
            queue.read(got.data() + 1, buffer, 5, size);
            CHECK(std::memcmp(got.data() + 1, wanted.data() + 5, size) == 0);
            CHECK(got.front() == 0x77);
            CHECK(got.back() == 0x77);
        }
    }
}

TEST_CASE("CUDA: nothing is written to where a refused read should have gone") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(5 << 20);
    const std::vector<unsigned char> wanted = bytes_of(5 << 20, 8);
    queue.write(buffer, 0, wanted.data(), wanted.size());
    std::vector<unsigned char> got(wanted.size());
    {
        const Faults fault("cuMemcpyDtoHAsync_v2@3=2");
        error_text(ErrorCode::out_of_memory, [&] { queue.read(got.data(), buffer, 0, got.size()); });
    }
    std::fill(got.begin(), got.end(), static_cast<unsigned char>(0x77));
    CHECK(contents(queue, buffer) == wanted);
    CHECK(std::all_of(got.begin(), got.end(), [](unsigned char byte) { return byte == 0x77; }));
}

TEST_CASE("CUDA: copies between two devices need no host memory, whether they reach each other or not") {
    for (const char* other : {"cuda:1", neighbours[1]}) { // of 8.0, so that neither reaches the other; and of 9.1
        CAPTURE(other);
        const Device from = open_device(other), to = open_device(neighbours[0]);
        const Queue queue = to.create_queue(), source_queue = from.create_queue();
        const std::vector<unsigned char> bytes = bytes_of(3 << 20, 19);
        const Buffer target = to.allocate(bytes.size());
        for (int round = 0; round < 2; ++round) {
            const Buffer source = from.allocate(bytes.size());
            source_queue.write(source, 0, bytes.data(), bytes.size());
            queue.wait_for(source_queue.record());
            queue.copy(target, 0, source, 0, bytes.size());
        } // the source goes before the copy has run
        CHECK(contents(queue, target) == bytes);
        const Buffer back = from.allocate(bytes.size());
        queue.copy(back, 0, target, 0, bytes.size());
        source_queue.wait_for(queue.record());
        CHECK(contents(source_queue, back) == bytes);
        const Faults fault("cuMemcpyPeerAsync@1=801");
        CHECK(holds(error_text(ErrorCode::unsupported, [&] { queue.copy(target, 0, back, 0, 16); }),
                    "cuMemcpyPeerAsync"));
    }
}

TEST_CASE("CUDA: a buffer that goes while commands use it is freed after them") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer result = device.allocate(5000);
    const std::vector<unsigned char> bytes = bytes_of(5000, 13);
    {
        const Buffer passing = device.allocate(5000);
        queue.write(passing, 0, bytes.data(), bytes.size());
        queue.copy(result, 0, passing, 0, 5000);
    } // the stand-in would find the copy to touch what belongs to nobody
    CHECK(contents(queue, result) == bytes);
}

TEST_CASE("CUDA: devq's objects in others' hands, and the other way round") {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(1000);
    const std::vector<unsigned char> bytes = bytes_of(1000, 31);
    CHECK(cuda::device_number(device) == 0);
    CHECK(cuda::context(device) != nullptr);
    const Queue same = cuda::wrap_stream(device, cuda::stream(queue));
    const Buffer part = cuda::wrap_memory(device, cuda::address(buffer) + 16, 500);
    same.write(part, 0, bytes.data(), 500);
    const Event event = same.record();
    const Event wrapped = cuda::wrap_event(device, cuda::event(event));
    const Queue other = device.create_queue();
    other.wait_for(wrapped);
    const std::vector<unsigned char> got = contents(other, buffer);
    CHECK(std::memcmp(got.data() + 16, bytes.data(), 500) == 0);
    CHECK(wrapped.done());
    error_text(ErrorCode::unsupported, [&] { elapsed_ms(wrapped, wrapped); });
}
