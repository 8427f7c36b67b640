#include "../devices/support.hpp"
#include "support.hpp"

using namespace devq;
using namespace devq::cuda_test;

namespace {

struct Three {
    float x, y, z;
};

/// What the echo wrote.
std::vector<unsigned> echo(const Device& device, const Queue& queue, const Range& range, std::size_t first_local) {
    const Kernel kernel = device.build(echo_source).kernel("echo");
    std::vector<unsigned> out(14, 0);
    const float nine[] = {9};
    const Buffer buffer = device.allocate(out.size() * sizeof(unsigned)), other = device.allocate(sizeof nine);
    queue.write(other, 0, nine, sizeof nine);
    queue.launch(kernel, range, buffer, 77u, LocalMemory{first_local}, Three{1, 2, 3}, LocalMemory{5}, other, 0.5);
    queue.read(out.data(), buffer, 0, buffer.size());
    return out;
}

} // namespace

TEST_CASE("CUDA: a kernel may have more local memory than every device has") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Kernel kernel = device
                              .build("kernel void far(global int* out, local int* tmp, int last) {"
                                     "    int i = get_local_id(0);"
                                     "    tmp[i == 0 ? last : i] = i + 7;"
                                     "    barrier(CLK_LOCAL_MEM_FENCE);"
                                     "    out[i] = tmp[i == 0 ? last : i];"
                                     "}")
                              .kernel("far");
    const Buffer out = device.allocate(64 * 4);
    CHECK(device.capabilities().local_memory_bytes == 99 << 10);
    for (const int kibi : {16, 99, 60}) {
        queue.launch(kernel, Range(64).grouped(64), out, LocalMemory{static_cast<std::size_t>(kibi) << 10},
                     (kibi << 8) - 1);
        std::vector<int> got(64);
        queue.read(std::span(got), out);
        CHECK(got.front() == 7);
        CHECK(got.back() == 70);
    }
    error_text(ErrorCode::invalid_argument,
               [&] { queue.launch(kernel, Range(64).grouped(64), out, LocalMemory{100 << 10}, 100); });
}

TEST_CASE("CUDA: where no group size is given, it is the one that fills the device") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Kernel kernel =
        device.build("kernel void group(global int* out) { out[get_global_id(0)] = get_local_size(0); }")
            .kernel("group");
    // The stand-in says that 4 groups of at most 768 fill it.
    for (const auto& [items, group] : {std::pair(8192, 512), {2048, 512}, {1024, 256}, {256, 64}, {96, 32}}) {
        const Buffer out = device.allocate(static_cast<std::size_t>(items) * 4);
        queue.launch(kernel, Range(static_cast<std::size_t>(items)), out);
        std::vector<int> got(static_cast<std::size_t>(items));
        queue.read(std::span(got), out);
        CHECK(got.front() == group);
    }
}

TEST_CASE("CUDA: a kernel's launch and arguments arrive as the front end wrote its entry") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0"); // 8.1: PTX
    const Queue queue = device.create_queue();
    for (const std::size_t local : {std::size_t{20}, std::size_t{60} << 10}) { // beyond 48 KiB has to be asked for
        const auto place = static_cast<unsigned>((local + 15) / 16 * 16);
        CHECK(echo(device, queue, Range(64, 6, 4).grouped(32, 3, 2), local) ==
              std::vector<unsigned>{2, 2, 2, 32, 3, 2, place, 77, 1, 2, 3, 5, 9, 50});
    }
}

TEST_CASE("CUDA: machine code for an architecture that the compiler lists") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:1"); // 8.0: the stand-in takes nothing else
    const Queue queue = device.create_queue();
    const Buffer other = device.allocate(64);
    const std::string text = error_text(ErrorCode::unsupported, [&] { echo(device, queue, Range(32), 16); });
    CHECK(holds(text, "kernel \"echo\" is not launched: CUDA_ERROR_NOT_SUPPORTED"));
    const unsigned char two = 2;
    queue.fill(other, 0, 64, &two, 1); // nothing was queued, and nothing is lost
    CHECK(contents(queue, other) == std::vector<unsigned char>(64, 2));
}

TEST_CASE("CUDA: what does not compile is told by the user's lines") {
    if (!have_compiler())
        return;
    BuildOptions options;
    options.file_name = "mine.cl";
    const std::string text = error_text(ErrorCode::build_failed, [&] {
        open_device("cuda:0").build("kernel void f(global float4* x) {\n    float y = x[0];\n    x[0].x = y;\n}\n",
                                    options);
    });
    CHECK_MESSAGE(holds(text, "mine.cl"), text);
    CHECK_MESSAGE((holds(text, "mine.cl:2") || holds(text, "mine.cl(2)")), text);
}

TEST_CASE("CUDA: a grid that is too long is refused") {
    if (!have_compiler())
        return;
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const std::string text =
        error_text(ErrorCode::unsupported, [&] { echo(device, queue, Range(1, 70000).grouped(1, 1), 16); });
    CHECK(holds(text, "at most 65535 groups in dimension 1, the range has 70000"));
    queue.wait();
}

TEST_CASE("child: a program is built or found" * doctest::skip()) {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    echo(device, queue, Range(32), 16);
}

TEST_CASE("CUDA: compiled programs are kept on disk") {
    if (!have_compiler())
        return;
    const support::Folder folder;
    const std::map<std::string, std::string> first{{"DEVQ_CACHE", "1"}, {"DEVQ_CACHE_DIR", folder.path / "cache"}};
    std::map<std::string, std::string> second = first;
    second["DEVQ_NVRTC"] = support::standin("fake_nvrtc.so"); // compiles nothing, and says that it is another version
    std::map<std::string, std::string> third = first;
    third["VIRTUAL_CUDA_FAULTS"] = "cuModuleLoadDataEx@1=218"; // the driver takes it no more: it is built again
    const auto run = [](const std::map<std::string, std::string>& environment) {
        return support::run({"/proc/self/exe", "--no-skip", "--test-case=child: a program is built or found"},
                            environment);
    };
    const support::Result built = run(first);
    CHECK_MESSAGE(built.status == 0, built.out);
    CHECK_FALSE(std::filesystem::is_empty(folder.path / "cache"));
    CHECK(run(first).status == 0);
    CHECK(run(second).status != 0);
    const support::Result again = run(third);
    CHECK_MESSAGE(again.status == 0, again.out);
}

TEST_CASE("CUDA: a driver that does not read the compiler's PTX") {
    if (!have_compiler())
        return;
    const Faults fault("cuModuleLoadDataEx@1=222");
    const std::string text = error_text(ErrorCode::unavailable, [] { open_device("cuda:0").build(echo_source); });
    CHECK(holds(text, "cuModuleLoadDataEx returned 222"));
    CHECK(holds(text, "the driver, for CUDA 13.0, does not take the PTX of NVRTC 1"));
    CHECK(holds(text, " for compute_80"));
    CHECK(holds(text, "Update the driver"));
    faults("cuModuleLoadDataEx@1=209");
    const std::string other = error_text(ErrorCode::unavailable, [] { open_device("cuda:0").build(echo_source); });
    CHECK(holds(other, "the driver, for CUDA 13.0, does not take code of NVRTC 1"));
    CHECK(holds(other, "Let NVRTC be of the driver's own version of CUDA (DEVQ_NVRTC)"));
}
