// The fault sweep: one training step of examples/digits (batch of 4, kernels from a warm cache, from the opening of the
// device on), with each of its first 200 calls to the driver failing in turn, once for each kind of fault. It has to
// end in an Error of the right code or in the right loss; the other device goes on, and nothing is left behind.
//
// By default some calls of each kind are tried, others each time; DEVQ_TEST_WHOLE=1 tries all of them.
#include "../../seed.hpp"
#include "../devices/support.hpp"
#include "network.hpp"
#include "support.hpp"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

using namespace devq;
using namespace devq::cuda_test;

namespace {

struct Kind {
    const char* name;
    const char* fault;               ///< of the list of faults: what stands before and behind the number
    const char* code;                ///< of the result
    std::vector<ErrorCode> expected; ///< besides success
    bool own_device;                 ///< each try on a device of its own: it is lost, or has to load its kernels
    unsigned calls = 200;            ///< the first so many fail in turn
};

const Kind kinds[] = {
    {"out of memory", "any", "2", {ErrorCode::out_of_memory}, false},
    {"refused", "any", "1", {ErrorCode::invalid_argument}, false},
    {"failing load", "cuModuleLoadDataEx", "209", {ErrorCode::unavailable}, true, 8},
    {"unknown", "any", "999", {ErrorCode::unavailable}, false},
    {"slow completion", "any", "slow", {}, false},
    {"launch failure", "any", "719", {ErrorCode::device_lost, ErrorCode::unavailable}, true},
    {"device lost", "any", "700", {ErrorCode::device_lost, ErrorCode::unavailable}, true},
    {"a kernel fails while it runs", "kernel", "700", {ErrorCode::device_lost}, true, 24},
};

/// The losses of a batch's rows, by one step as the example takes it.
std::vector<float> train(const std::string& id) {
    const Device device = open_device(id);
    const Queue queue = device.create_queue();
    digits::Network network(queue, DType::f32, {64, 256, 256, 10}, 4);
    network.initialise(1);
    const Tensor images(device, DType::f32, {4, 64}), labels(device, DType::i32, {4}), losses(device, DType::f32, {4});
    std::vector<float> pixels(4 * 64);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<float>(i % 17) / 16;
    queue.write(images.buffer(), std::span<const float>(pixels));
    queue.write(labels.buffer(), std::span<const std::int32_t>(std::vector<std::int32_t>{3, 1, 4, 1}));
    const Recording step = record_commands(queue, [&] { network.train(images, labels, losses, 0.1f, 0.9f); });
    step.replay(queue);
    std::vector<float> values(4);
    queue.read(std::span(values), losses.buffer());
    return values;
}

unsigned number(const char* name, unsigned otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? static_cast<unsigned>(std::strtoul(value, nullptr, 10)) : otherwise;
}

/// The calls that this run tries: from `first` on, every `stride`-th.
void sweep(const Kind& kind, unsigned first, unsigned stride) {
    const std::vector<float> wanted = train("cuda:0");
    faults("");
    REQUIRE(train("cuda:0") == wanted);
    const unsigned long calls = faults("");
    std::printf("%lu calls of the driver in a step\n", calls);
    CHECK(calls > 100);
    unsigned tried = 0, failed = 0, device = 0;
    for (unsigned call = first; call <= kind.calls; call += stride) {
        CAPTURE(call);
        ++tried;
        const std::string id = "cuda:" + std::to_string(kind.own_device ? ++device : 0);
        // A kernel from the cache that the driver refuses is compiled anew: the second load fails as well.
        std::string plan = kind.fault + ("@" + std::to_string(call)) + "=" + kind.code;
        if (std::string(kind.name) == "failing load")
            plan += ";" + (kind.fault + ("@" + std::to_string(call + 1)) + "=" + kind.code);
        faults(plan);
        try {
            const std::vector<float> got = train(id);
            CHECK(got == wanted);
        } catch (const Error& error) {
            ++failed;
            CHECK_MESSAGE(std::find(kind.expected.begin(), kind.expected.end(), error.code()) != kind.expected.end(),
                          std::string(error.what()));
        }
        faults("");
        if (kind.own_device || call == first)
            REQUIRE(train("cuda:0") == wanted); // the other device, or the same one, goes on
    }
    CHECK((stride > 1 || kind.expected.empty() || failed * 4 > tried)); // the whole sweep is no idle one
    std::printf("%s: %u calls tried, %u ended in an error\n", kind.name, tried, failed);
}

std::string several(const std::string& device, unsigned count) {
    std::string list = device;
    for (unsigned i = 1; i < count; ++i)
        list += ";" + device;
    return list;
}

} // namespace

TEST_CASE("child: sweep" * doctest::skip()) {
    const Kind& kind = kinds[number("DEVQ_TEST_KIND", 0)];
    sweep(kind, number("DEVQ_TEST_FIRST", 1), number("DEVQ_TEST_STRIDE", 1));
}

TEST_CASE("whichever call of the driver fails, a training step ends in the right error or in the right loss") {
    if (!have_compiler())
        return;
    const char* const asked = std::getenv("DEVQ_TEST_WHOLE");
    const bool whole = asked != nullptr && *asked == '1';
    const std::uint64_t seed = whole ? 0 : tests::fresh_seed("sweep");
    const support::Folder folder;
    std::filesystem::permissions(folder.path, std::filesystem::perms::owner_all);
    const auto begin = std::chrono::steady_clock::now();
    const auto start = [&](std::size_t i) {
        const Kind& kind = kinds[i];
        const unsigned stride = whole ? 1 : kind.calls / 8;
        const auto first = static_cast<unsigned>(1 + (seed + i * 7) % stride);
        return support::run(
            {"/proc/self/exe", "--no-skip", "--test-case=child: sweep"},
            {{"DEVQ_CACHE", "1"},
             {"DEVQ_CACHE_DIR", (folder.path / "cache").string()},
             {"DEVQ_TEST_KIND", std::to_string(i)},
             {"DEVQ_TEST_FIRST", std::to_string(first)},
             {"DEVQ_TEST_STRIDE", std::to_string(stride)},
             {"VIRTUAL_CUDA_REPORT", (folder.path / ("report" + std::to_string(i))).string()},
             {"VIRTUAL_CUDA_DEVICES", several("8.1,64", kind.own_device ? kind.calls / stride + 2 : 1)}},
            std::chrono::seconds(whole ? 600 : 120));
    };
    // Two at a time. The first alone: it warms the cache.
    std::vector<support::Result> children(std::size(kinds));
    children[0] = start(0);
    std::atomic<std::size_t> next{1};
    const auto work = [&] {
        for (std::size_t i = next++; i < children.size(); i = next++)
            children[i] = start(i);
    };
    {
        auto second = std::async(std::launch::async, work);
        work();
        second.get();
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        const support::Result& child = children[i];
        const std::string name = kinds[i].name;
        CAPTURE(name);
        CHECK_MESSAGE(child.status == 0, child.out << child.err);
        CHECK_MESSAGE(holds(child.out, " 1 passed | 0 failed"), child.out);
        std::istringstream lines(child.out);
        for (std::string line; std::getline(lines, line);)
            if (holds(line, "calls"))
                std::printf("%s\n", line.c_str());
        std::ifstream left(folder.path / ("report" + std::to_string(i)));
        std::string first_line;
        std::getline(left, first_line);
        CHECK(first_line == "device 0: 0 blocks, 0 streams, 0 events, 0 modules, 0 graphs, retained 0");
    }
    std::printf("the sweep took %.1f s\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
