// Products by cuBLASLt's stand-in, by the contract and by the operation.
#include "contract.hpp"
#include "support.hpp"
#include <cmath>
#include <devq/ops.hpp>
#include <limits>

using namespace devq;
using namespace devq::cuda_test;
using backend::MatmulDescription;
using backend::VendorSupport;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// [1 2; 3 4] · [1 0 2; 0 1 -20], which has something below zero.
struct Small {
    Contract on{0};
    MatmulDescription what = product(2, 3, 2);
    std::vector<float> a{1, 2, 3, 4}, b{1, 0, 2, 0, 1, -20}, bias{10, 20, 30};

    std::vector<float> run() const {
        const VendorSupport found = on.device->supports(what);
        REQUIRE_MESSAGE(found, found.reason);
        backend::MatmulOperands with;
        with.a = {on.put(a)};
        with.b = {on.put(b)};
        with.out = {on.device->allocate(24)};
        if (what.bias)
            with.bias = {on.put(bias)};
        if (found.workspace_bytes > 0)
            with.workspace = {on.device->allocate(found.workspace_bytes)};
        on.queue->matmul(what, with);
        return on.get<float>(with.out.memory, 6);
    }
};

std::string why_not(const Contract& on, const MatmulDescription& what) {
    const VendorSupport found = on.device->supports(what);
    CHECK_FALSE(found);
    return found.reason;
}

/// The operation on the stand-in's device 0.
struct Operation {
    explicit Operation(const char* name = "cuda:0") : device(open_device(name)) { fill(); }

    Device device;
    Queue queue = device.create_queue();
    Tensor a{device, DType::f32, {4, 8}}, b{device, DType::f32, {8, 5}}, out{device, DType::f32, {4, 5}};

    void fill() const {
        std::vector<float> left(32), right(40);
        for (std::size_t i = 0; i < left.size(); ++i)
            left[i] = static_cast<float>(i % 5) - 2;
        for (std::size_t i = 0; i < right.size(); ++i)
            right[i] = static_cast<float>(i % 7) - 3;
        queue.write(a.buffer(), std::span<const float>(left));
        queue.write(b.buffer(), std::span<const float>(right));
    }
    std::string path(const ops::MatmulOptions& options = {}) {
        return std::string(ops::matmul(queue, out, a, b, options).path);
    }
    std::vector<float> result() const {
        std::vector<float> values(20);
        queue.read(std::span(values), out.buffer());
        return values;
    }
    std::vector<float> expected() const {
        std::vector<float> left(32), right(40), sums(20, 0);
        queue.read(std::span(left), a.buffer());
        queue.read(std::span(right), b.buffer());
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 5; ++j)
                for (std::size_t l = 0; l < 8; ++l)
                    sums[i * 5 + j] += left[i * 8 + l] * right[l * 5 + j];
        return sums;
    }
};

} // namespace

TEST_CASE("cuBLASLt: an algorithm is searched for once a description") {
    Small small;
    faults("");
    for (int i = 0; i < 3; ++i)
        CHECK(small.run() == std::vector<float>{1, 2, -38, 3, 4, -74});
    CHECK(calls("cublasLtMatmulAlgoGetHeuristic") == 1);
    CHECK(calls("cublasLtMatmul") == 3);
    small.what.workspace_limit = 0;
    CHECK(small.on.device->supports(small.what).workspace_bytes == 0);
    CHECK(small.run() == std::vector<float>{1, 2, -38, 3, 4, -74});
    CHECK(calls("cublasLtMatmulAlgoGetHeuristic") == 2);
}

TEST_CASE("cuBLASLt: bias and activations as epilogues") {
    Small small;
    small.what.bias = true;
    small.what.bias_stride = 1;
    small.what.bias_alignment = 256;
    CHECK(small.run() == std::vector<float>{11, 22, -8, 13, 24, -44});
    small.what.epilogue = backend::Epilogue::relu;
    small.what.relu_may_drop_nan = true;
    CHECK(small.run() == std::vector<float>{11, 22, 0, 13, 24, 0});
    small.a[0] = not_a_number;
    CHECK(small.run()[0] == 0); // as the stand-in's has it
    small.a = {0.1f, 0, 0, 0.1f};
    small.bias = {0, 0, 0};
    small.what.epilogue = backend::Epilogue::gelu_tanh;
    const auto gelu = [](double x) { return x / 2 * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); };
    const std::vector<float> got = small.run();
    CHECK(got[0] == doctest::Approx(gelu(0.1)).epsilon(1e-6));
    CHECK(got[2] == doctest::Approx(gelu(0.2)).epsilon(1e-6));
    CHECK(got[5] == doctest::Approx(gelu(-2)).epsilon(1e-6));
}

TEST_CASE("cuBLASLt: alpha, beta and c") {
    Small small;
    small.what.accumulate = true;
    small.what.c = small.what.out;
    backend::MatmulOperands with;
    with.a = {small.on.put(small.a)};
    with.b = {small.on.put(small.b)};
    with.c = {small.on.put(std::vector<float>{10, 20, 30, 40, 50, 60})};
    with.out = {small.on.device->allocate(24)};
    with.alpha = 2;
    with.beta = -1;
    const VendorSupport found = small.on.device->supports(small.what);
    REQUIRE_MESSAGE(found, found.reason);
    with.workspace = {small.on.device->allocate(found.workspace_bytes)};
    faults("");
    const auto run = [&] {
        small.on.queue->matmul(small.what, with);
        return small.on.get<float>(with.out.memory, 6);
    };
    CHECK(run() == std::vector<float>{-8, -16, -106, -34, -42, -208});
    with.out = with.c; // in place
    CHECK(run() == std::vector<float>{-8, -16, -106, -34, -42, -208});
    CHECK(run() == std::vector<float>{10, 20, 30, 40, 50, 60});
    CHECK(calls("cublasLtMatmulAlgoGetHeuristic") == 0); // alpha and beta are no part of the description
    small.what.accumulate = false;                       // whatever beta is, what lies in out is not read
    small.on.queue->write(with.out.memory, 0, &not_a_number, sizeof not_a_number);
    CHECK(run() == std::vector<float>{2, 4, -76, 6, 8, -148});
}

TEST_CASE("cuBLASLt: no sums in parts, where they are to be the same each time") {
    Small small;
    CHECK(small.on.device->supports(small.what).workspace_bytes > 0);
    small.what.deterministic = true;
    CHECK(small.on.device->supports(small.what).path == "cublaslt");
    CHECK(small.on.device->supports(small.what).workspace_bytes == 0);
    CHECK(small.run() == std::vector<float>{1, 2, -38, 3, 4, -74});
}

TEST_CASE("cuBLASLt: TF32 only on request") {
    Small small;
    const float fine = 1 + std::ldexp(1.0f, -20);
    small.a = {fine, 0, 0, fine};
    CHECK(small.run()[0] == fine);
    small.what.compute = backend::Compute::tf32;
    CHECK(small.run()[0] == 1);
}

TEST_CASE("cuBLASLt: what it does not do has a reason") {
    const Contract on(0), turing(8);
    MatmulDescription what = product(2, 3, 2);
    what.epilogue = backend::Epilogue::relu;
    CHECK(holds(why_not(on, what), "NaN"));
    what = product(2, 3, 2);
    what.a.column = 2;
    what.a.row = 4;
    CHECK(holds(why_not(on, what), "a has rows and columns with steps"));
    what = product(2, 3, 2);
    what.b.row = 0;
    CHECK(holds(why_not(on, what), "b has rows"));
    what = product(2, 3, 2);
    what.out.row = 6;
    what.out.column = 2;
    CHECK(holds(why_not(on, what), "out has rows"));
    what = product(2, 3, 2);
    what.out.row = 1;
    what.out.column = 2;
    CHECK(on.device->supports(what));
    what.bias = true;
    what.bias_stride = 1;
    CHECK(holds(why_not(on, what), "bias"));
    what = product(2, 3, 2);
    what.bias = true;
    what.bias_stride = 2;
    CHECK(holds(why_not(on, what), "steps between its elements"));
    what = product(2, 3, 2);
    what.out.type = DType::f16;
    CHECK(holds(why_not(on, what), "all of one type"));
    what = product(2, 3, 2, DType::f16);
    what.out.type = DType::f32;
    CHECK(on.device->supports(what));
    what.accumulate = true;
    what.c = what.out;
    CHECK(on.device->supports(what));
    what.c.row = 0; // one row for all
    CHECK(holds(why_not(on, what), "c does not lie as out does"));
    what = product(2, 3, std::int64_t{1} << 40);
    CHECK(holds(why_not(on, what), "2^31"));
    what = product(2, 3, 2);
    what.batch_rank = 2;
    what.batch_sizes = {65, 2};
    what.a.batch = {8, 4};
    what.b.batch = {0, 6};
    what.out.batch = {12, 6};
    CHECK(holds(why_not(on, what), "batches"));
    what = product(2, 3, 2, DType::bf16);
    CHECK(on.device->supports(what));
    CHECK(holds(why_not(turing, what), "no algorithm"));
}

TEST_CASE("matmul takes the vendor's path, and says so") {
    if (!have_compiler())
        return;
    Operation operation;
    CHECK(operation.path() == "cublaslt");
    CHECK(operation.result() == operation.expected());
    CHECK(operation.path({.path = ops::Path::portable}) == "portable");
    CHECK(operation.result() == operation.expected());
    CHECK(operation.path({.path = ops::Path::vendor}) == "cublaslt");
    const Tensor wide(operation.device, DType::f32, {4, 16});
    const TensorView stepped(wide.buffer(), DType::f32, {4, 8}, {16, 2}, 0);
    const auto demand = [&] {
        ops::matmul(operation.queue, operation.out, stepped, operation.b, {.path = ops::Path::vendor});
    };
    const std::string text = error_text(ErrorCode::unsupported, demand);
    CHECK(holds(text, "a has rows and columns with steps"));
    CHECK(holds(text, "Path::automatic"));
    CHECK(ops::matmul(operation.queue, operation.out, stepped, operation.b).path == "portable");
    error_text(ErrorCode::invalid_argument, [&] { operation.path({.path = static_cast<ops::Path>(7)}); });
}

TEST_CASE("matmul: relu propagates NaN on the vendor's path, unless it need not") {
    if (!have_compiler())
        return;
    Operation operation;
    operation.queue.write(operation.a.buffer(), 0, &not_a_number, sizeof not_a_number);
    ops::MatmulOptions options{.activation = ops::Activation::relu, .path = ops::Path::vendor};
    CHECK(ops::matmul(operation.queue, operation.out, operation.a, operation.b, options).variant == "then relu");
    std::vector<float> got = operation.result(), wanted = operation.expected();
    CHECK(std::isnan(got[0]));
    for (std::size_t i = 5; i < 20; ++i)
        CHECK(got[i] == std::max(wanted[i], 0.0f));
    options.relu_may_drop_nan = true;
    CHECK(ops::matmul(operation.queue, operation.out, operation.a, operation.b, options).variant == "");
    CHECK(operation.result()[0] == 0);
}

TEST_CASE("matmul: activations by and after cuBLASLt") {
    if (!have_compiler())
        return;
    Operation operation;
    using ops::Activation;
    const auto run = [&](Activation activation) {
        return ops::matmul(operation.queue, operation.out, operation.a, operation.b,
                           {.activation = activation, .alpha = 0.25f});
    };
    const std::vector<float> sums = operation.expected();
    for (const auto& [activation, variant] : {std::pair(Activation::gelu_tanh, ""), {Activation::silu, "then silu"}}) {
        const ops::Placement placement = run(activation);
        CHECK(placement.path == "cublaslt");
        CHECK(placement.variant == variant);
        const std::vector<float> got = operation.result();
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double x = 0.25 * sums[i];
            const double wanted = activation == Activation::silu
                                      ? x / (1 + std::exp(-x))
                                      : x / 2 * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
            CHECK(got[i] == doctest::Approx(wanted).epsilon(1e-5));
        }
    }
}

namespace {

/// Three products whose matrices lie in buffers of their own.
struct Lists {
    explicit Lists(const char* name, DType type = DType::f32) : device(open_device(name)) {
        for (std::size_t i = 0; i < 3; ++i) {
            a.emplace_back(device, type, Dims{4, 8});
            b.emplace_back(device, type, Dims{8, 16});
            out.emplace_back(device, DType::f32, Dims{4, 16});
            ops::fill(queue, a[i], static_cast<double>(i + 1));
            ops::fill(queue, b[i], 0.5);
            ops::fill(queue, out[i], 1);
        }
    }
    ops::Placement run(const ops::MatmulOptions& options = {}) const {
        const auto views = [](const std::vector<Tensor>& of) { return std::vector<TensorView>(of.begin(), of.end()); };
        return ops::matmul_batch(queue, views(out), views(a), views(b), options);
    }
    /// All elements of a result are alike.
    std::vector<float> results() const {
        std::vector<float> firsts;
        for (const Tensor& one : out) {
            std::vector<float> values(64);
            queue.read(std::span(values), one.buffer());
            CHECK(values == std::vector<float>(64, values[0]));
            firsts.push_back(values[0]);
        }
        return firsts;
    }

    Device device;
    Queue queue = device.create_queue();
    std::vector<Tensor> a, b, out;
};

} // namespace

TEST_CASE("matmul_batch: a list of addresses by cuBLAS") {
    if (!have_compiler())
        return;
    for (const DType type : {DType::f32, DType::f16}) {
        const Lists lists("cuda:0", type);
        lists.queue.wait();
        faults("");
        CHECK(lists.run().path == "cublas");
        CHECK(lists.results() == std::vector<float>{4, 8, 12});
        CHECK(lists.run({.alpha = 0.5f, .beta = 2, .path = ops::Path::vendor}).path == "cublas");
        CHECK(lists.results() == std::vector<float>{10, 20, 30});
        CHECK(calls("cublasGemmBatchedEx") == 2);
        CHECK(calls("cublasLtMatmul") == 0);
        // What it has not: cuBLASLt once each.
        const ops::Placement each = lists.run({.activation = ops::Activation::relu, .path = ops::Path::vendor});
        CHECK(each.path == "cublaslt");
        CHECK(each.variant == "a launch each");
        CHECK(calls("cublasLtMatmul") == 3);
        CHECK(lists.results() == std::vector<float>{4, 8, 12});
        CHECK(lists.run({.path = ops::Path::portable}).path == "portable");
        CHECK(lists.results() == std::vector<float>{4, 8, 12});
    }
}

TEST_CASE("matmul_batch: where cuBLAS fails, cuBLASLt; in a recording; behind too little memory") {
    if (!have_compiler())
        return;
    const Lists lists("cuda:0");
    {
        const Faults fault("cublasGemmBatchedEx@1=15");
        CHECK(lists.run().path == "cublaslt");
        CHECK(lists.results() == std::vector<float>{4, 8, 12});
    }
    {
        const Faults fault("cublasGemmBatchedEx@1=13");
        CHECK(holds(error_text(ErrorCode::unavailable, [&] { lists.run(); }), "CUBLAS_STATUS_EXECUTION_FAILED"));
    }
    const Recording recording = record_commands(lists.queue, [&] { CHECK(lists.run({.beta = 1}).path == "cublas"); });
    for (int i = 0; i < 2; ++i)
        recording.replay(lists.queue);
    CHECK(lists.results() == std::vector<float>{12, 24, 36});
    const Full full(lists.device);
    CHECK(lists.run().path == "cublaslt");
    CHECK(lists.results() == std::vector<float>{4, 8, 12});
}

TEST_CASE("cuBLAS: what it does not do has a reason") {
    const Contract on(0), turing(8);
    const auto list = [](DType type) {
        MatmulDescription what = product(4, 8, 8, type);
        what.places = 3;
        what.workspace_limit = std::size_t{32} << 20;
        return what;
    };
    MatmulDescription what = list(DType::f32);
    const VendorSupport found = on.device->supports(what);
    CHECK(found.path == "cublas");
    CHECK(found.workspace_bytes > 3 * 3 * 8);
    what.workspace_limit = 64;
    CHECK(holds(why_not(on, what), "too little memory"));
    what = list(DType::f32);
    what.a.alignment = 4;
    CHECK(on.device->supports(what));
    what.compute = backend::Compute::tf32;
    CHECK(holds(why_not(on, what), "16 bytes"));
    what = list(DType::f16);
    what.b.alignment = 8;
    CHECK(holds(why_not(on, what), "16 bytes"));
    what = list(DType::f16);
    what.bias = true;
    CHECK(holds(why_not(on, what), "without batches, bias"));
    what = list(DType::f32);
    what.out.row = 32;
    what.out.column = 2;
    CHECK(holds(why_not(on, what), "out has rows and columns with steps"));
    CHECK(on.device->supports(list(DType::bf16)));
    CHECK(holds(why_not(turing, list(DType::bf16)), "capability 8.0"));
}

TEST_CASE("matmul: an algorithm that fails is followed by the next, and by the portable path") {
    if (!have_compiler())
        return;
    Operation operation;
    {
        const Faults fault("cublasLtMatmul@1=15");
        CHECK(operation.path() == "cublaslt");
        CHECK(calls("cublasLtMatmul") == 2);
    }
    CHECK(operation.result() == operation.expected());
    {
        const Faults fault("cublasLtMatmul@1=15"); // the one that was left
        CHECK(operation.path() == "portable");
        CHECK(operation.result() == operation.expected());
        CHECK(operation.path() == "portable");
        CHECK(calls("cublasLtMatmul") == 1); // it is not asked again
    }
    CHECK(operation.result() == operation.expected());
    const auto demand = [&] { operation.path({.path = ops::Path::vendor}); };
    CHECK(holds(error_text(ErrorCode::unsupported, demand), "NOT_SUPPORTED"));
}

TEST_CASE("matmul: a failure of cuBLASLt is told with its name, and the queue goes on") {
    Operation operation;
    const auto run = [&] { operation.path(); };
    {
        const Faults fault("cublasLtMatmul@1=13");
        const std::string text = error_text(ErrorCode::unavailable, run);
        CHECK(holds(text, "CUBLAS_STATUS_EXECUTION_FAILED"));
        CHECK(holds(text, "cublasLtMatmul returned 13"));
    }
    {
        const Faults fault("cublasLtMatmul@1=3;cublasLtMatmul@2=3");
        error_text(ErrorCode::out_of_memory, run);
    }
    CHECK(operation.path() == "cublaslt");
    CHECK(operation.result() == operation.expected());
}

TEST_CASE("matmul: the device's loss is told as such, whatever cuBLASLt says, and with its first cause") {
    const auto check = [](Operation& operation, const char* cause) {
        for (int i = 0; i < 2; ++i)
            CHECK(holds(error_text(ErrorCode::device_lost, [&] { operation.path(); }), cause));
        CHECK(Operation().path() == "cublaslt"); // on another device
    };
    {
        Operation operation(lost_in_product);
        const Faults fault("kernel@1=700");
        CHECK(operation.path() == "cublaslt");
        CHECK(holds(error_text(ErrorCode::device_lost, [&] { operation.queue.wait(); }), "CUDA_ERROR_ILLEGAL_ADDRESS"));
        check(operation, "CUDA_ERROR_ILLEGAL_ADDRESS");
    }
    {
        Operation operation(lost_before_product);
        CHECK(operation.path() == "cublaslt");
        operation.queue.wait();
        const Faults fault("cublasLtMatmul@1=13;cuMemGetInfo_v2@1=719");
        check(operation, "CUDA_ERROR_LAUNCH_FAILED");
    }
}

TEST_CASE("matmul: without memory for a workspace, an algorithm that needs none") {
    Operation operation;
    operation.queue.wait();
    const Full full(operation.queue.device());
    error_text(ErrorCode::out_of_memory, [&] { operation.queue.device().allocate(1 << 20); });
    CHECK(operation.path() == "cublaslt");
    CHECK(operation.result() == operation.expected());
}

TEST_CASE("matmul: the vendor's path behind another device's event") {
    Operation operation;
    const Device cpu = open_device("cpu:0");
    const Queue other = cpu.create_queue();
    const Buffer far = cpu.allocate(32 * 4);
    const std::vector<float> ones(32, 1.0f);
    other.write(far, std::span(ones));
    operation.queue.wait_for(other.record());
    operation.queue.copy(operation.a.buffer(), 0, far, 0, 32 * 4); // parks the queue
    CHECK(operation.path() == "cublaslt");
    const std::vector<float> got = operation.result();
    CHECK(got == operation.expected());
    CHECK(got[0] == got[15]); // of rows of ones
}
