#include "direct.hpp"
#include "context.hpp"
#include <algorithm>

// Of backends/cuda/context.cpp, which cudnn_graph.cpp takes nothing else from.
bool devq::cuda::process_ends() noexcept { return false; }

namespace devq::bench {

void fail(const std::string& what) { throw std::runtime_error(what); }

Gpu::Gpu(int number) {
    if (const auto why = load(driver_))
        fail(why->reason);
    check(driver_.init(0), "cuInit");
    driver_.driver_version(&version_);
    check(driver_.device_get(&device_, number), "cuDeviceGet");
    check(driver_.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    check(driver_.context_set(context_), "cuCtxSetCurrent");
    check(driver_.stream_create(&stream_, cuda::abi::stream_non_blocking), "cuStreamCreate");
}

Gpu::~Gpu() {
    driver_.stream_destroy(stream_);
    driver_.context_release(device_);
}

void Gpu::check(cuda::abi::Result result, const char* call) const {
    if (result == cuda::abi::success)
        return;
    const char* name = nullptr;
    driver_.error_name(result, &name);
    fail(std::string(call) + " returned " + std::to_string(result) + (name != nullptr ? ": " + std::string(name) : ""));
}

Block::Block(const Gpu& gpu, std::size_t bytes) : gpu_(gpu), bytes_(std::max<std::size_t>(bytes, 16)) {
    gpu.check(gpu.driver().memory_alloc(&address_, bytes_), "cuMemAlloc");
}

Block::Block(const Gpu& gpu, DType type, std::int64_t count, unsigned seed)
    : Block(gpu, static_cast<std::size_t>(count) * size_of(type)) {
    const std::vector<std::byte> values = numbers(type, count, seed);
    gpu.check(gpu.driver().copy_in(address_, values.data(), values.size(), gpu.stream()), "cuMemcpyHtoDAsync");
    gpu.wait();
}

Block::~Block() { gpu_.driver().memory_free(address_); }

std::vector<std::byte> Block::first(std::size_t bytes) const {
    std::vector<std::byte> values(std::min(bytes, bytes_));
    gpu_.check(gpu_.driver().copy_out(values.data(), address_, values.size(), gpu_.stream()), "cuMemcpyDtoHAsync");
    gpu_.wait();
    return values;
}

struct Direct::Parts {
    explicit Parts(int number) : gpu(number) {
        blas.open(gpu);
        dnn.open(gpu);
    }
    ~Parts() {
        if (dnn.handle != nullptr)
            dnn.table.destroy(dnn.handle);
        if (blas.handle != nullptr)
            blas.destroy(blas.handle);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    Gpu gpu;
    BlasLibrary blas;
    DnnLibrary dnn;
};

Direct::Direct(int number) : parts_(std::make_unique<Parts>(number)) {}
Direct::~Direct() = default;

std::vector<std::pair<std::string, std::string>> Direct::versions() const {
    const auto text = [](const auto& library) {
        return library.why_not.empty() ? library.version : "not used: " + library.why_not;
    };
    return {{"driver", cuda::version_text(parts_->gpu.version())},
            {"cublaslt", text(parts_->blas)},
            {"cudnn", text(parts_->dnn)}};
}

namespace {

/// From pageable memory, as devq gets it.
void run_copy(Result& result, const Gpu& gpu, const Row& row, double seconds) {
    const auto bytes = static_cast<std::size_t>(row.bytes);
    const Block to(gpu, bytes), from(gpu, bytes);
    std::vector<std::byte> host(bytes, std::byte{1});
    gpu.check(gpu.driver().copy_in(from.address(), host.data(), bytes, gpu.stream()), "cuMemcpyHtoDAsync");
    gpu.wait();
    result.path = "driver";
    const auto once = [&] {
        if (row.op == "copy_h2d")
            gpu.check(gpu.driver().copy_in(to.address(), host.data(), bytes, gpu.stream()), "cuMemcpyHtoDAsync");
        else if (row.op == "copy_d2h")
            gpu.check(gpu.driver().copy_out(host.data(), from.address(), bytes, gpu.stream()), "cuMemcpyDtoHAsync");
        else
            gpu.check(gpu.driver().copy_within(to.address(), from.address(), bytes, gpu.stream()), "cuMemcpyDtoDAsync");
    };
    measure(result, seconds, once, [&] { gpu.wait(); });
}

} // namespace

Result Direct::run(const Row& row, double seconds) {
    Result result;
    try {
        const auto need = [](const auto& library) {
            if (!library.why_not.empty())
                fail(library.why_not);
        };
        if (row.kind == Kind::copy) {
            run_copy(result, parts_->gpu, row, seconds);
        } else if (row.kind == Kind::matmul) {
            need(parts_->blas);
            run_product(result, parts_->gpu, parts_->blas, row, seconds);
        } else if (row.kind == Kind::softmax) {
            fail("no library is called directly");
        } else {
            need(parts_->dnn);
            run_convolution(result, parts_->gpu, parts_->dnn, row, seconds);
        }
    } catch (const std::exception& error) {
        result = {};
        result.error = error.what();
    }
    return result;
}

} // namespace devq::bench
