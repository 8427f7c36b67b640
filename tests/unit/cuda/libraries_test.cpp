// cuBLASLt and cuDNN that are missing, broken or of another CUDA: the device stays, and `devq info` says why they are
// not used.
#include "../devices/support.hpp"
#include "contract.hpp"
#include "support.hpp"
#include <cstdio>
#include <devq/ops.hpp>

using namespace devq;
using namespace devq::cuda_test;

TEST_CASE("child: versions" * doctest::skip()) {
    const Contract on(0);
    for (const auto& [name, version] : on.device->examine().versions)
        std::printf("%s: %s\n", name.c_str(), version.c_str());
    CHECK(on.device->supports(product(2, 2, 2)).reason.empty() == (std::getenv("DEVQ_CUBLASLT") == nullptr));
}

TEST_CASE("child: portable" * doctest::skip()) {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Tensor a(device, DType::f32, {2, 2}), b(device, DType::f32, {2, 2}), out(device, DType::f32, {2, 2});
    const std::vector<float> values{1, 2, 3, 4};
    queue.write(a.buffer(), std::span(values));
    queue.write(b.buffer(), std::span(values));
    const auto demand = [&] { ops::matmul(queue, out, a, b, {.path = ops::Path::vendor}); };
    CHECK(holds(error_text(ErrorCode::unsupported, demand), "/nowhere/libcublasLt.so.13"));
    if (!have_compiler())
        return;
    CHECK(ops::matmul(queue, out, a, b).path == "portable");
    std::vector<float> got(4);
    queue.read(std::span(got), out.buffer());
    CHECK(got == std::vector<float>{7, 10, 15, 22});
}

TEST_CASE("child: deterministic" * doctest::skip()) {
    const Device device = open_device("cuda:0");
    const Queue queue = device.create_queue();
    const Tensor image(device, DType::f32, {1, 1, 4, 4}), filter(device, DType::f32, {1, 1, 3, 3}),
        result(device, DType::f32, {1, 1, 4, 4});
    const ops::Conv2dGeometry geometry{.padding = {1, 1, 1, 1}, .path = ops::Path::vendor};
    queue.wait();
    const Full full(device); // the gradients' engine has no workspace; the other's is not to be done without
    CHECK(ops::conv2d_backward_data(queue, image, result, filter, geometry).path == "cudnn");
    error_text(ErrorCode::out_of_memory, [&] { ops::conv2d(queue, result, image, filter, {geometry}); });
}

TEST_CASE("DEVQ_DETERMINISTIC: what a library computes depends on no race, and not on how much memory is free") {
    const support::Result child = support::run({"/proc/self/exe", "--no-skip", "--test-case=child: deterministic"},
                                               {{"DEVQ_DETERMINISTIC", "1"}});
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
}

namespace {

std::string versions(const std::map<std::string, std::string>& environment) {
    const support::Result child =
        support::run({"/proc/self/exe", "--no-skip", "--test-case=child: versions"}, environment);
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
    return child.out;
}

} // namespace

TEST_CASE("the libraries' versions, and where they are") {
    const std::string text = versions({});
    CHECK_MESSAGE(holds(text, "cublaslt: 13.1.0 (/"), text);
    CHECK_MESSAGE(holds(text, "cublas: 13.1.0 (/"), text);
    CHECK_MESSAGE(holds(text, "cudnn: 9.19.0 (/"), text);
}

TEST_CASE("libraries that are missing take nothing else away") {
    const std::map<std::string, std::string> nowhere{{"DEVQ_CUBLASLT", "/nowhere/libcublasLt.so.13"},
                                                     {"DEVQ_CUDNN", "/nowhere/libcudnn.so.9"}};
    const std::string text = versions(nowhere);
    CHECK_MESSAGE(holds(text, "cublaslt: cuBLASLt is not used: /nowhere/libcublasLt.so.13: cannot open"), text);
    CHECK_MESSAGE(holds(text, "cublas: cuBLAS is not used: /nowhere/libcublas.so.13: cannot open"), text);
    CHECK_MESSAGE(holds(text, "cudnn: cuDNN is not used: /nowhere/libcudnn.so.9: cannot open"), text);
    const support::Result child = support::run({"/proc/self/exe", "--no-skip", "--test-case=child: portable"}, nowhere);
    CHECK_MESSAGE(child.status == 0, child.out << child.err);
}

TEST_CASE("a libcudnn whose dependency is missing: the dependency is named") {
    const support::Folder folder;
    const std::filesystem::path copy = folder.path / "libcudnn.so.9"; // away from what it needs
    std::filesystem::copy_file(support::standin("fake_libcuda_dependent.so"), copy);
    const std::string text = versions({{"DEVQ_CUDNN", copy.string()}});
    CHECK_MESSAGE(holds(text, "cudnn: cuDNN is not used: libdevq_test_vendor.so: cannot open"), text);
    CHECK_MESSAGE(holds(text, "brings libdevq_test_vendor.so"), text);
    CHECK_MESSAGE(holds(text, "cublaslt: 13.1.0"), text);
}

TEST_CASE("a library of that name that is none") {
    const std::string text = versions({{"DEVQ_CUDNN", support::standin("fake_nvrtc.so").string()}});
    CHECK_MESSAGE(holds(text, "undefined symbol: cudnnGetVersion"), text);
}

TEST_CASE("a cuDNN for another CUDA than the driver's") {
    const std::string text = versions({{"VIRTUAL_CUDNN_RUNTIME", "14020"}});
    CHECK_MESSAGE(holds(text, "is built for CUDA 14, the driver is for CUDA 13.0"), text);
    CHECK_MESSAGE(holds(text, "build for CUDA 13"), text);
}

TEST_CASE("a cuDNN whose cuBLASLt is not there, without which it would end the process") {
    const std::string text = versions({{"VIRTUAL_CUDNN_RUNTIME", "9020"}});
    CHECK_MESSAGE(holds(text, "cudnn: cuDNN is not used: cuDNN 9.19.0 (/"), text);
    CHECK_MESSAGE(holds(text, "needs libcublasLt.so.9: cannot open shared object file"), text);
    CHECK_MESSAGE(holds(text, "Install cuBLAS for CUDA 9"), text);
    CHECK_MESSAGE(holds(text, "cublaslt: 13.1.0"), text);
}

TEST_CASE("a library that does not start on the device") {
    const std::string text = versions(
        {{"VIRTUAL_CUDA_FAULTS", "cublasLtCreate@1=1;cudnnCreate@1=1008"}, {"DEVQ_CUBLASLT", "libcublasLt.so.13"}});
    CHECK_MESSAGE(holds(text, "cublaslt: cuBLASLt 13.1.0 fails: CUBLAS_STATUS_NOT_INITIALIZED"), text);
    CHECK_MESSAGE(holds(text, "cudnn: cuDNN 9.19.0 fails: CUDNN_STATUS_NOT_INITIALIZED"), text);
}
