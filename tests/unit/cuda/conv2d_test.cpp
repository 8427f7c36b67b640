// Convolutions by cuDNN's stand-in, by the contract and by the operation.
#include "contract.hpp"
#include "support.hpp"
#include <devq/ops.hpp>

using namespace devq;
using namespace devq::cuda_test;
using backend::ConvolutionDescription;
using backend::VendorSupport;

namespace {

std::vector<float> numbers(std::size_t count, int seed) {
    std::vector<float> values(count);
    for (float& value : values)
        value = static_cast<float>((seed = (seed * 31 + 7) % 97) % 9 - 4);
    return values;
}

/// The operation on the stand-in's device 0: 2 images of 3 × 6 × 6, 4 filters of 3 × 3.
struct Operation {
    explicit Operation(const char* name = "cuda:0") : device(open_device(name)) { fill(); }

    Device device;
    Queue queue = device.create_queue();
    Tensor image{device, DType::f32, {2, 3, 6, 6}}, filter{device, DType::f32, {4, 3, 3, 3}},
        out{device, DType::f32, {2, 4, 6, 6}}, bias{device, DType::f32, {4}};
    ops::Conv2dOptions options{{.padding = {1, 1, 1, 1}}};

    void fill() const {
        write(image, 2 * 3 * 36, 1);
        write(filter, 4 * 27, 2);
        write(bias, 4, 3);
    }
    void write(const Tensor& tensor, std::size_t count, int seed) const {
        const std::vector<float> values = numbers(count, seed);
        queue.write(tensor.buffer(), std::span(values));
    }
    ops::Placement run() const { return ops::conv2d(queue, out, image, filter, options); }
    std::vector<float> result(const Tensor& of) const {
        std::vector<float> values(of.buffer().size() / 4);
        queue.read(std::span(values), of.buffer());
        return values;
    }
    std::vector<float> portable() {
        options.path = ops::Path::portable;
        CHECK(run().path == "portable");
        options.path = ops::Path::automatic;
        return result(out);
    }
};

std::string why_not(const Contract& on, const ConvolutionDescription& what) {
    const VendorSupport found = on.device->supports(what);
    CHECK_FALSE(found);
    return found.reason;
}

} // namespace

TEST_CASE("cuDNN: a plan is searched for once a description") {
    const Contract on(0);
    const ConvolutionDescription what = convolution(1, 2, 4, 3);
    const auto image = on.put(numbers(32, 1)), filter = on.put(numbers(54, 2)),
               result = on.device->allocate(3 * 16 * 4);
    const VendorSupport found = on.device->supports(what);
    REQUIRE_MESSAGE(found, found.reason);
    CHECK(found.path == "cudnn");
    CHECK(found.workspace_bytes == std::size_t{2} << 20); // of the engine that is exact: the first one is not
    faults("");
    for (int i = 0; i < 3; ++i) {
        CHECK(on.device->supports(what));
        on.queue->convolve(what, {{image}, {filter}, {result}, {on.device->allocate(found.workspace_bytes)}});
    }
    on.queue->wait();
    CHECK(calls("cudnnBackendGetAttribute") == 0);
    CHECK(calls("cudnnBackendExecute") == 3);
    CHECK(calls("cudnnBackendFinalize") == 3); // of the packs of pointers
    ConvolutionDescription small = what;
    small.workspace_limit = 0;
    CHECK(on.device->supports(small).workspace_bytes == 0);
}

TEST_CASE("cuDNN: the same bits each time, where they are asked for") {
    const Contract on(0);
    ConvolutionDescription what = convolution(1, 2, 4, 3);
    for (const auto& [direction, always] : {std::pair(backend::Direction::forward, true),
                                            {backend::Direction::backward_data, false},
                                            {backend::Direction::backward_filter, false}}) {
        what.direction = direction;
        what.deterministic = false;
        CHECK(on.device->supports(what).workspace_bytes == std::size_t{2} << 20);
        what.deterministic = true; // gradients by the engine that has no workspace
        CHECK(on.device->supports(what).path == "cudnn");
        CHECK(on.device->supports(what).workspace_bytes == (always ? std::size_t{2} << 20 : 0));
    }
}

TEST_CASE("cuDNN: what it does not do has a reason") {
    const Contract on(0), turing(8);
    ConvolutionDescription what = convolution(1, 2, 4, 3);
    what.filter.type = DType::f16;
    CHECK(holds(why_not(on, what), "all of one type"));
    what = convolution(1, 2, 4, 3);
    what.image.strides[0] = 0;
    CHECK(on.device->supports(what)); // of the only image
    what.image.strides[1] = 0;
    CHECK(holds(why_not(on, what), "repeated"));
    what = convolution(1, 2, 4, 3);
    what.filter.strides = {20, 9, 3, 1};
    CHECK(holds(why_not(on, what), "gaps"));
    what = convolution(0, 2, 4, 3);
    CHECK(holds(why_not(on, what), "empty"));
    what = convolution(1, 2, 4, 3);
    what.result.sizes[3] = 5; // does not follow from the rest
    CHECK(holds(why_not(on, what), "refuses the convolution: CUDNN_STATUS_BAD_PARAM"));
    what = convolution(1, 2, 4, 3, DType::bf16);
    CHECK(on.device->supports(what));
    CHECK(holds(why_not(turing, what), "refuses its own engine: CUDNN_STATUS_NOT_SUPPORTED"));
}

TEST_CASE("conv2d takes the vendor's path in all three directions, and says so") {
    if (!have_compiler())
        return;
    Operation operation;
    CHECK(operation.run().path == "cudnn");
    const std::vector<float> got = operation.result(operation.out);
    CHECK(got == operation.portable());
    const ops::Conv2dGeometry& geometry = operation.options;
    ops::Conv2dGeometry portable = geometry;
    portable.path = ops::Path::portable;
    const Tensor image(operation.device, DType::f32, {2, 3, 6, 6}), filter(operation.device, DType::f32, {4, 3, 3, 3});
    const auto same = [&](const Tensor& tensor, auto&& run) {
        CHECK(run(geometry).path == "cudnn");
        const std::vector<float> by_vendor = operation.result(tensor);
        CHECK(run(portable).path == "portable");
        CHECK(operation.result(tensor) == by_vendor);
    };
    same(image, [&](const ops::Conv2dGeometry& how) {
        return ops::conv2d_backward_data(operation.queue, image, operation.out, operation.filter, how);
    });
    same(filter, [&](const ops::Conv2dGeometry& how) {
        return ops::conv2d_backward_filter(operation.queue, filter, operation.image, operation.out, how);
    });
}

TEST_CASE("conv2d: bias and activation around the vendor's convolution") {
    if (!have_compiler())
        return;
    Operation operation;
    operation.options.bias = operation.bias;
    for (const auto& [activation, variant] :
         {std::pair(ops::Activation::none, "bias first"), {ops::Activation::relu, "bias first, then relu"}}) {
        operation.options.activation = activation;
        const ops::Placement placement = operation.run();
        CHECK(placement.path == "cudnn");
        CHECK(placement.variant == variant);
        const std::vector<float> got = operation.result(operation.out);
        CHECK(got == operation.portable());
    }
}

TEST_CASE("conv2d: an engine that fails is followed by the next, and by the portable path") {
    if (!have_compiler())
        return;
    Operation operation;
    const std::vector<float> wanted = operation.portable();
    {
        const Faults fault("cudnnBackendExecute@1=3000");
        CHECK(operation.run().path == "cudnn");
        CHECK(calls("cudnnBackendExecute") == 2);
    }
    CHECK(operation.result(operation.out) == wanted);
    {
        const Faults fault("cudnnBackendExecute@1=5000"); // the one that was left
        CHECK(operation.run().path == "portable");
        CHECK(operation.result(operation.out) == wanted);
        CHECK(operation.run().path == "portable");
        CHECK(calls("cudnnBackendExecute") == 1); // it is not asked again
    }
    operation.options.path = ops::Path::vendor;
    CHECK(holds(error_text(ErrorCode::unsupported, [&] { operation.run(); }), "EXECUTION_FAILED"));
}

TEST_CASE("conv2d: the device's loss is told as such, whatever cuDNN says") {
    Operation operation(lost_before_convolution);
    CHECK(operation.run().path == "cudnn");
    operation.queue.wait();
    const Faults fault("cudnnBackendExecute@1=5000;cuMemGetInfo_v2@1=719");
    for (int i = 0; i < 2; ++i)
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { operation.run(); }), "CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_CASE("conv2d: without memory for a workspace, an engine that needs none") {
    Operation operation;
    operation.queue.wait();
    const Full full(operation.queue.device());
    error_text(ErrorCode::out_of_memory, [&] { operation.queue.device().allocate(1 << 20); });
    CHECK(operation.run().path == "cudnn");
    operation.queue.wait();
}
