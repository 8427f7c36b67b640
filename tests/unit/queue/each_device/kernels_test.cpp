// A user's own kernels, from a string and from a file, on every device.
#include "devices.hpp"
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace each_device;

namespace {

/// A folder that goes with the test.
struct Folder {
    Folder() {
        std::string path = (std::filesystem::temp_directory_path() / "devq-test-XXXXXX").string();
        REQUIRE(::mkdtemp(path.data()) != nullptr);
        at = path;
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(at, error);
    }
    void file(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((at / name).parent_path());
        std::ofstream(at / name) << text;
    }
    std::filesystem::path at;
};

struct Shape {
    int rows, columns;
};
struct alignas(16) Four {
    float x, y, z, w;
};

} // namespace

TEST_CASE("a kernel from a string gets its buffers, values, structures and vectors") {
    ON_EACH_DEVICE {
        const Buffer out = on.device.allocate(4 * sizeof(std::int64_t));
        queue.launch(on.program.kernel("describe"), 1, out, Shape{3, 7}, Four{1, 2, 3, 4}, static_cast<std::int8_t>(-5),
                     std::uint64_t{1} << 40);
        CHECK(read_all<std::int64_t>(queue, out) == std::vector<std::int64_t>{3007, 4321, -5, std::int64_t{1} << 40});
    }
}

TEST_CASE("local memory and barriers") {
    ON_EACH_DEVICE {
        std::vector<int> in(64), expected(64);
        std::iota(in.begin(), in.end(), 0);
        const Buffer from = on.device.allocate(256), to = on.device.allocate(256);
        queue.write<int>(from, in);
        for (const std::size_t group : {1u, 2u, 16u, 64u}) {
            if (group > on.device.capabilities().max_group_items)
                continue;
            for (std::size_t i = 0; i < 64; ++i)
                expected[i] = static_cast<int>(i / group * group + (group - 1 - i % group));
            queue.launch(on.program.kernel("reverse"), Range(64).grouped(group), from, to, LocalMemory{group * 4});
            CHECK(read_all<int>(queue, to) == expected);
        }
    }
}

TEST_CASE("ranges of one, two and three dimensions, awkward sizes and none at all") {
    ON_EACH_DEVICE {
        const Kernel count = on.program.kernel("count");
        const auto run = [&](const Range& range) {
            const std::size_t items = range.global[0] * range.global[1] * range.global[2];
            const Buffer out = on.device.allocate(items * 4);
            queue.launch(count, range, out, 1000000);
            const std::vector<int> got = read_all<int>(queue, out);
            for (std::size_t i = 0; i < items; ++i) {
                const std::size_t x = i % range.global[0], y = i / range.global[0] % range.global[1],
                                  z = i / range.global[0] / range.global[1];
                REQUIRE(got[i] == static_cast<int>(1000000 + x + 100 * y + 10000 * z));
            }
        };
        run(1);
        run(97);
        run(Range(13, 7));
        run(Range(3, 5, 7));
        run(Range(16, 8, 4).grouped(4, 4, 2));
        run(Range(0));
        run(Range(5, 0, 2));
    }
}

TEST_CASE("a kernel's required group size is used, and an empty buffer is a valid argument") {
    ON_EACH_DEVICE {
        const Buffer out = on.device.allocate(8 * 4 * 4);
        queue.launch(on.program.kernel("fixed"), Range(8, 4), out);
        for (const int got : read_all<int>(queue, out))
            REQUIRE(got == 42);
        queue.launch(on.program.kernel("scale"), 1, on.device.allocate(0), 1.0f, 0u);
        CHECK_NOTHROW(queue.wait());
    }
}

TEST_CASE("a kernel from a file finds its includes beside itself, then in the folders given, with macros defined") {
    const Folder folder;
    folder.file("kernels/own.cl", "#include \"beside.h\"\n#include <shared.h>\n"
                                  "kernel void k(global int* out) { out[0] = BESIDE + SHARED + GIVEN; }\n");
    folder.file("kernels/beside.h", "#define BESIDE 1\n");
    folder.file("include/beside.h", "#error the file's own folder comes first\n");
    folder.file("include/shared.h", "#define SHARED 20\n");
    ON_EACH_DEVICE {
        BuildOptions options;
        options.defines = {{"GIVEN", "300"}};
        options.include_folders = {folder.at / "include"};
        const Program program = on.device.build_file(folder.at / "kernels" / "own.cl", options);
        CHECK(program.kernel_names() == std::vector<std::string>{"k"});
        CHECK(program.kernel("k").name() == "k");
        CHECK(program.kernel("k").parameter_count() == 1);
        const Buffer out = on.device.allocate(4);
        queue.launch(program.kernel("k"), 1, out);
        CHECK(read_all<int>(queue, out) == std::vector<int>{321});
        CHECK(code_of([&] { on.device.build_file(folder.at / "none.cl"); }) == ErrorCode::invalid_argument);
        CHECK(code_of([&] { on.device.build_file(folder.at); }) == ErrorCode::invalid_argument);
        check_usable(on, queue);
    }
}

TEST_CASE("write, read, copy and fill on one device") {
    ON_EACH_DEVICE {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{1003}, std::size_t{3} << 20}) {
            std::vector<unsigned char> sent(bytes), got(bytes);
            for (std::size_t i = 0; i < bytes; ++i)
                sent[i] = static_cast<unsigned char>(i * 7 + i / 251);
            const Buffer a = on.device.allocate(bytes + 5), b = on.device.allocate(bytes + 11);
            queue.write(a, 5, sent.data(), bytes);
            queue.copy(b, 11, a, 5, bytes);
            queue.read(got.data(), b, 11, bytes);
            CHECK(got == sent);
        }
        const Buffer buffer = on.device.allocate(160);
        for (const std::size_t size : {1u, 2u, 4u, 8u, 16u}) {
            unsigned char pattern[16];
            for (std::size_t i = 0; i < 16; ++i)
                pattern[i] = static_cast<unsigned char>(size * 16 + i);
            const unsigned char zero = 0;
            queue.fill(buffer, 0, 160, &zero, 1);
            queue.fill(buffer, 32, 96, pattern, size);
            const auto got = read_all<unsigned char>(queue, buffer);
            for (std::size_t i = 0; i < 160; ++i)
                REQUIRE(got[i] == (i < 32 || i >= 128 ? 0 : pattern[(i - 32) % size]));
        }
    }
}

TEST_CASE("the source of a write may be changed at once") {
    ON_EACH_DEVICE {
        for (const std::size_t count : {std::size_t{16}, std::size_t{1} << 20}) {
            std::vector<int> values(count, 1);
            const Buffer buffer = on.device.allocate(count * 4);
            queue.write<int>(buffer, values);
            std::fill(values.begin(), values.end(), 2);
            CHECK(read_all<int>(queue, buffer) == std::vector<int>(count, 1));
        }
    }
}

TEST_CASE("copies between any two devices, by either's queue, with order kept by events") {
    for (const Opened& a : all())
        for (const Opened& b : all()) {
            CAPTURE(a.id());
            CAPTURE(b.id());
            const Queue from = a.device.create_queue(), to = b.device.create_queue();
            for (const std::size_t bytes :
                 {std::size_t{0}, std::size_t{1}, std::size_t{12345}, (std::size_t{17} << 20) + 3}) {
                std::vector<unsigned char> sent(bytes), got(bytes);
                for (std::size_t i = 0; i < bytes; ++i)
                    sent[i] = static_cast<unsigned char>(i * 11 + i / 253);
                const Buffer source = a.device.allocate(bytes + 2), target = b.device.allocate(bytes + 6);
                from.write(source, 1, sent.data(), bytes);
                to.wait_for(from.record());
                to.copy(target, 5, source, 1, bytes);
                to.read(got.data(), target, 5, bytes);
                CHECK(got == sent);
                const unsigned char zero = 0;
                from.fill(source, 0, bytes + 2, &zero, 1);
                from.copy(source, 2, target, 5, bytes);
                got.assign(bytes, 0);
                from.read(got.data(), source, 2, bytes);
                CHECK(got == sent);
            }
        }
}

TEST_CASE("a workload goes from device to device and back") {
    const std::vector<Opened>& devices = all();
    std::vector<Queue> queues;
    std::vector<Buffer> buffers;
    for (const Opened& opened : devices) {
        queues.push_back(opened.device.create_queue());
        buffers.push_back(opened.device.allocate(1000 * 4));
    }
    std::vector<float> values(1000, 1.0f);
    queues[0].write<float>(buffers[0], values);
    float expected = 1;
    for (int round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < devices.size(); ++i) {
            queues[i].launch(devices[i].program.kernel("scale"), 1000, buffers[i], 2.0f, 1000u);
            expected *= 2;
            const std::size_t next = (i + 1) % devices.size();
            if (next == i)
                continue;
            queues[next].wait_for(queues[i].record());
            queues[next].copy(buffers[next], 0, buffers[i], 0, 4000);
        }
    CHECK(read_all<float>(queues[0], buffers[0]) == std::vector<float>(1000, expected));
}

TEST_CASE("events: done, wait, elapsed time, and a second queue of the device") {
    ON_EACH_DEVICE {
        const Queue second = on.device.create_queue();
        const Buffer buffer = on.device.allocate(std::size_t{1} << 20);
        for (int i = 1; i <= 20; ++i) {
            queue.fill(buffer, 0, buffer.size(), &i, 4);
            second.wait_for(queue.record());
            int got = 0;
            second.read(&got, buffer, buffer.size() - 4, 4);
            REQUIRE(got == i);
            queue.wait_for(second.record());
        }
        const Event start = queue.record();
        const int zero = 0;
        queue.fill(buffer, 0, buffer.size(), &zero, 4);
        const Event end = queue.record();
        end.wait();
        CHECK(start.done());
        CHECK(end.done());
        CHECK(elapsed_ms(start, end) >= 0);
        CHECK(elapsed_ms(start, end) < 60000);
    }
}

TEST_CASE("threads share one queue and one kernel") {
    ON_EACH_DEVICE {
        const Kernel scale = on.program.kernel("scale");
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&, t] {
                const Queue own = on.device.create_queue();
                for (int i = 0; i < 50; ++i) {
                    const Queue& used = i % 2 ? own : queue;
                    const float value = static_cast<float>(t * 100 + i);
                    const Buffer buffer = on.device.allocate(4);
                    used.write(buffer, 0, &value, 4);
                    used.launch(scale, 1, buffer, 3.0f, 1u);
                    float got = 0;
                    used.read(&got, buffer, 0, 4);
                    wrong += got != 3 * value;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        CHECK(wrong == 0);
    }
}
