// Recorded sequences as CUDA graphs.
#include "support.hpp"

using namespace devq;
using namespace devq::cuda_test;

namespace {

constexpr std::int64_t n = 1000;

/// A queue with a step that adds 1 to each element of `a`, and copies the result.
struct Step {
    Device device = open_device("cuda:0");
    Queue queue = device.create_queue();
    Tensor a{device, DType::f32, {n}}, b{device, DType::f32, {n}};
    Buffer copy = device.allocate(n * 4);

    Step() { clear(); }
    void clear() const {
        const float zero = 0;
        queue.fill(a.buffer(), 0, n * 4, &zero, 4);
    }
    Recording record() const {
        return record_commands(queue, [&] {
            const float one = 1;
            queue.fill(b.buffer(), 0, n * 4, &one, 4);
            ops::binary(queue, ops::Binary::add, a, a, b);
            queue.copy(copy, 0, a.buffer(), 0, n * 4);
        });
    }
    void check(float value) const {
        std::vector<float> got(n);
        queue.read(std::span(got), copy);
        CHECK(got == std::vector<float>(n, value));
    }
};

} // namespace

TEST_CASE("CUDA: a recording is a graph, whose replay is one call of the driver") {
    if (!have_compiler())
        return;
    const Step step;
    const Recording recording = step.record();
    CHECK(recording.is_graph());
    recording.replay(step.queue);
    step.check(1);
    {
        const Faults fault("cuLaunchKernel@1=1;cuMemsetD32Async@1=1;cuMemcpyDtoDAsync_v2@1=1"); // none is called
        for (int i = 0; i < 4; ++i)
            recording.replay(step.queue);
    }
    step.check(5);
    const Queue other = step.device.create_queue();
    other.wait_for(step.queue.record());
    recording.replay(other);
    other.wait();
    step.check(6);
}

TEST_CASE("CUDA: what a graph cannot hold is replayed one by one") {
    if (!have_compiler())
        return;
    const Step step;
    const std::vector<unsigned char> pattern = bytes_of(16, 5);
    const Buffer filled = step.device.allocate(64);
    const Recording recording = record_commands(step.queue, [&] {
        step.queue.fill(filled, 0, 64, pattern.data(), 16);
        step.queue.fill(filled, 0, 16, "abcd", 4);
    });
    CHECK_FALSE(recording.is_graph());
    recording.replay(step.queue);
    const std::vector<unsigned char> got = contents(step.queue, filled);
    CHECK(got[3] == 'd');
    CHECK(std::equal(pattern.begin(), pattern.end(), got.begin() + 16));
}

TEST_CASE("CUDA: a graph that cannot be made is a list, and nothing is left of it") {
    if (!have_compiler())
        return;
    for (const char* fault : {"cuStreamBeginCapture_v2@1=801", "cuStreamEndCapture@1=900", "cuStreamCreate@1=2",
                              "cuGraphInstantiateWithFlags@1=2", "cuLaunchKernel@1=900"}) {
        CAPTURE(fault);
        const Step step;
        static_cast<void>(step.record()); // kernels are loaded
        Recording recording;
        {
            const Faults planned(fault);
            recording = step.record();
        }
        CHECK_FALSE(recording.is_graph());
        recording.replay(step.queue);
        recording.replay(step.queue);
        step.check(2);
    }
}

TEST_CASE("CUDA: a graph that the driver refuses to launch is told at the call, and the queue goes on") {
    if (!have_compiler())
        return;
    const Step step;
    const Recording recording = step.record();
    {
        const Faults fault("cuGraphLaunch@1=2");
        CHECK(holds(error_text(ErrorCode::out_of_memory, [&] { recording.replay(step.queue); }), "cuGraphLaunch"));
    }
    recording.replay(step.queue);
    step.check(1);
}

TEST_CASE("CUDA: a recording may go while its replay is under way, and its memory with it") {
    if (!have_compiler())
        return;
    for (const bool cached : {true, false}) {
        CAPTURE(cached);
        const Step step;
        {
            const Buffer passing = step.device.allocate(n * 4);
            const Recording recording = record_commands(step.queue, [&] {
                const float seven = 7;
                step.queue.fill(passing, 0, n * 4, &seven, 4);
                step.queue.copy(step.copy, 0, passing, 0, n * 4);
            });
            CHECK(recording.is_graph());
            recording.replay(step.queue);
        }
        if (!cached)
            static_cast<void>(trim_memory(step.device));
        const Buffer next = step.device.allocate(n * 4);
        const float eight = 8;
        step.queue.fill(next, 0, n * 4, &eight, 4);
        step.check(7);
    }
}
