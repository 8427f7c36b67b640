#include "../devices/support.hpp"
#include "support.hpp"

using namespace devq;
using namespace devq::cuda_test;

namespace {

/// A little of everything that needs no compiler.
void work(const Device& device) {
    const Queue queue = device.create_queue(), other = device.create_queue();
    const Buffer a = device.allocate(4096), b = device.allocate(4096);
    const std::vector<unsigned char> bytes = bytes_of(4096, 21), pattern = bytes_of(16, 22);
    queue.write(a, 0, bytes.data(), bytes.size());
    queue.fill(b, 0, 4096, pattern.data(), 16);
    queue.copy(b, 0, a, 0, 4096);
    const Event event = queue.record();
    other.wait_for(event);
    if (contents(other, b) != bytes)
        throw std::runtime_error("wrong bytes");
    queue.wait();
    event.wait();
    static_cast<void>(elapsed_ms(event, event));
}

/// The rest works after the loss of `device`, and the loss is told again with its first cause.
void check_lost(const Device& device, const Queue& queue, const Buffer& buffer, const std::string& cause) {
    for (int i = 0; i < 2; ++i) {
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { queue.wait(); }), cause));
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { device.allocate(16); }), cause));
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { contents(queue, buffer); }), cause));
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { device.create_queue(); }), cause));
    }
    work(open_device("cuda:0"));
}

} // namespace

TEST_CASE("CUDA: a kernel that fails takes its device along, and no other") {
    if (!have_compiler())
        return;
    const Device device = open_device(lost_by_kernel);
    const Queue queue = device.create_queue();
    const Kernel kernel = device.build(echo_source).kernel("echo");
    const Buffer out = device.allocate(256);
    const Faults fault("kernel@1=700");
    queue.launch(kernel, Range(32), out, 1u, LocalMemory{16}, std::array<float, 3>{}, LocalMemory{16}, out, 1.0);
    const Event event = queue.record();
    const std::string text = error_text(ErrorCode::device_lost, [&] { event.wait(); });
    CHECK(holds(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(holds(text, "compute-sanitizer"));
    CHECK(event.done());
    check_lost(device, queue, out, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_CASE("CUDA: a call that tells of a lost device") {
    const Device device = open_device(lost_by_call);
    const Queue queue = device.create_queue();
    const Buffer buffer = device.allocate(64);
    const Faults fault("cuMemsetD8Async@1=719;cuStreamSynchronize@1=700");
    const unsigned char one = 1;
    CHECK(holds(error_text(ErrorCode::device_lost, [&] { queue.fill(buffer, 0, 64, &one, 1); }), "719"));
    check_lost(device, queue, buffer, "CUDA_ERROR_LAUNCH_FAILED");
}

TEST_CASE("CUDA: too little memory for a launch is told at the call, and the queue goes on") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Kernel kernel = device.build(echo_source).kernel("echo");
    const Buffer out = device.allocate(256);
    const auto launch = [&] {
        queue.launch(kernel, Range(32), out, 1u, LocalMemory{16}, std::array<float, 3>{}, LocalMemory{16}, out, 1.0);
    };
    {
        const Faults fault("cuLaunchKernel@1=2;cuLaunchKernel@2=701");
        CHECK(holds(error_text(ErrorCode::out_of_memory, launch), "CUDA_ERROR_OUT_OF_MEMORY"));
        CHECK(holds(error_text(ErrorCode::out_of_memory, launch), "701"));
    }
    launch();
    queue.wait();
}

TEST_CASE("child: each call fails once, the device stays" * doctest::skip()) {
    Device device = open_device("cuda:0");
    work(device);
    faults("");
    work(device);
    const unsigned long calls = faults("");
    CHECK(calls > 30);
    unsigned long failed = 0;
    for (const int code : {2, 1, 46, 999})
        for (unsigned long call = 1; call <= calls; ++call) {
            CAPTURE(call);
            faults("any@" + std::to_string(call) + "=" + std::to_string(code));
            try {
                work(device);
            } catch (const Error& error) {
                CHECK_MESSAGE(error.code() != ErrorCode::device_lost, std::string(error.what()));
                if (code == 2)
                    CHECK_MESSAGE(error.code() == ErrorCode::out_of_memory, std::string(error.what()));
                ++failed;
            }
            faults("");
        }
    CHECK(failed > calls);
    work(device);
}

TEST_CASE("child: each call tells once that a device is lost" * doctest::skip()) {
    work(open_device("cuda:0"));
    const Device steady = open_device("cuda:0");
    const std::size_t devices = list_devices("cuda").devices.size();
    std::size_t lost = 0;
    for (std::size_t number = 1; number < devices; ++number) {
        CAPTURE(number);
        const std::string name = "cuda:" + std::to_string(number);
        faults("any@" + std::to_string(number) + "=700");
        try {
            work(open_device(name));
        } catch (const Error& error) {
            CHECK_MESSAGE((error.code() == ErrorCode::device_lost || error.code() == ErrorCode::unavailable),
                          std::string(error.what()));
            ++lost;
        }
        faults("");
        work(steady);
    }
    CHECK(lost * 2 > devices);
}

TEST_CASE("CUDA: whichever call fails, the outcome is an error or a right result, and nothing is left") {
    const support::Folder folder;
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: each call fails once*"},
                     {{"VIRTUAL_CUDA_REPORT", folder.path / "report"}, {"VIRTUAL_CUDA_DEVICES", "9.1,16"}});
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
    CHECK_MESSAGE(holds(child.out, " 1 passed | 0 failed"), child.out);
}

TEST_CASE("CUDA: whichever call tells of a lost device, the others go on") {
    std::string devices = "9.1,16";
    for (int i = 0; i < 60; ++i)
        devices += ";9.1,16";
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: each call tells once*"},
                     {{"VIRTUAL_CUDA_DEVICES", devices}});
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
    CHECK_MESSAGE(holds(child.out, " 1 passed | 0 failed"), child.out);
}
