// The real cuDNN, where there is one, on a machine without a GPU: given a device's properties instead of the device, it
// finds engines and finalizes plans all the same. Asked here: each description that the conformance suite's
// convolutions come to.
#include "../ops/fake_device.hpp"
#include "conformance/suite.hpp"
#include "context.hpp"
#include "cudnn_graph.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>

// Of backends/cuda/context.cpp, which the search takes nothing else from.
bool devq::cuda::process_ends() noexcept { return false; }

namespace {

using namespace devq;
using backend::ConvolutionDescription;

/// What `devq test` would ask a device's library for.
std::vector<ConvolutionDescription> descriptions() {
    const ops_test::Fake fake = ops_test::fake("gpu", 4, 256);
    for (const conformance::Case* test : conformance::select({.op = "conv2d*"}))
        conformance::run_case(fake.queue, *test, 1); // nothing is computed, so that each case fails
    std::vector<ConvolutionDescription> distinct;
    for (ConvolutionDescription& one : fake.log->convolutions) {
        one.workspace_limit = std::size_t{128} << 20;
        if (std::find(distinct.begin(), distinct.end(), one) == distinct.end())
            distinct.push_back(one);
    }
    return distinct;
}

std::string text(const ConvolutionDescription& d) {
    std::string line = d.direction == backend::Direction::forward         ? "forward"
                       : d.direction == backend::Direction::backward_data ? "backward data"
                                                                          : "backward filter";
    line += ' ' + std::string(to_string(d.image.type));
    for (const auto* tensor : {&d.image, &d.filter})
        for (std::size_t axis = 0; axis < 4; ++axis)
            line += (axis == 0 ? " " : "x") + std::to_string(tensor->sizes[axis]) + ":" +
                    std::to_string(tensor->strides[axis]);
    line += " stride " + std::to_string(d.stride[0]) + ',' + std::to_string(d.stride[1]) + " dilation " +
            std::to_string(d.dilation[0]) + ',' + std::to_string(d.dilation[1]) + " pad " +
            std::to_string(d.padding_before[0]) + ',' + std::to_string(d.padding_before[1]) + ',' +
            std::to_string(d.padding_behind[0]) + ',' + std::to_string(d.padding_behind[1]) + " groups " +
            std::to_string(d.groups) + (d.accumulate ? " added" : "");
    return line;
}

std::string properties(int version, int units, int threads, int shared, const char* name) {
    return R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
           R"("multiProcessorCount":)" +
           std::to_string(units) + R"(,"warpSize":32,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":)" +
           std::to_string(shared) +
           R"(,"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":16,"maxThreadsPerBlock":1024,)"
           R"("maxThreadsPerSM":)" +
           std::to_string(threads) +
           R"(,"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,"totalGlobalMem":17179869184,)"
           R"("smClockRateKHz":1500000,"memClockRateKHz":1500000,"l2CacheSize":4194304,"cudaDeviceId":0,)" +
           // cuDNN 9.28 asks for these three, too.
           R"("memoryBusWidth":5120,"oversizedSharedMemoryPerBlock":0,"smCountOrigin":0,"deviceVer":)" +
           std::to_string(version) + R"(,"driverVer":13000,"deviceName":")" + name + R"("})";
}

/// cuDNN takes no filters with gaps.
bool packed(const ConvolutionDescription::Tensor& tensor) {
    std::int64_t last = 0, elements = 1;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        last += (tensor.sizes[axis] - 1) * tensor.strides[axis];
        elements *= tensor.sizes[axis];
    }
    return last + 1 == elements;
}

struct Architecture {
    const char* name;
    int version;
    std::string json;
};

} // namespace

TEST_CASE("every convolution of the conformance suite has a plan in the real cuDNN, but for filters with gaps") {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    std::puts("skipped: cudnn: the vendor's library is not looked at by sanitizers");
    return;
#endif
#endif
    cuda::Cudnn library;
    if (const auto why = load(library, 0)) {
        std::printf("skipped: cudnn: %s\n", why->reason.c_str());
        return;
    }
    MESSAGE("cuDNN " << library.version << ", " << library.file);
    const std::vector<ConvolutionDescription> all = descriptions();
    CHECK(all.size() > 150);
    const std::vector<Architecture> architectures{{"7.5", 750, properties(750, 40, 1024, 65536, "Tesla T4")},
                                                  {"8.0", 800, properties(800, 108, 2048, 166912, "NVIDIA A100")},
                                                  {"9.0", 900, properties(900, 132, 2048, 232448, "NVIDIA H100")}};
    for (const Architecture& architecture : architectures) {
        cuda::DnnDescriptor device(library, cuda::abi::dnn_device);
        device.set(cuda::abi::device_json, cuda::abi::dnn_type_char,
                   static_cast<std::int64_t>(architecture.json.size() + 1), architecture.json.c_str());
        if (device.finalize().result() != cuda::abi::dnn_success) {
            const bool part = device.result() == cuda::abi::dnn_sublibrary_loading_failed;
            std::printf(
                "skipped: cudnn: %s: %s\n",
                part ? "a library that it needs is missing (9.28 takes libcuda.so.1, of a driver or a toolkit's stubs)"
                     : "this one cannot plan without a device",
                library.words(device.result()).c_str());
            return;
        }
        std::size_t planned = 0, refused = 0;
        for (const ConvolutionDescription& description : all) {
            if (architecture.version < 800 && description.image.type == DType::bf16)
                continue; // no engine there
            cuda::DnnSearch search(library, description, {nullptr, &device});
            const auto plan = search.next();
            ++(plan ? planned : refused);
            CHECK_MESSAGE(plan.has_value() == packed(description.filter),
                          std::string(architecture.name) << ": " << text(description) << ": " << search.reason());
        }
        CHECK(planned > 10 * refused);
        MESSAGE(std::string(architecture.name) << ": " << planned << " planned, " << refused << " refused");
    }
}
