#include "contract.hpp"
#include "../devices/support.hpp"
#include <dlfcn.h>
#include <stdexcept>

namespace devq::cuda_test {

Contract::Contract(std::size_t number) {
    void* const library = dlopen((support::build_folder() / "libdevq-cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    using Entry = const backend::Module*();
    auto* const entry = reinterpret_cast<Entry*>(library != nullptr ? dlsym(library, backend::module_symbol) : nullptr);
    if (entry == nullptr)
        throw std::runtime_error("libdevq-cuda.so is not beside the test");
    backend = entry()->create();
    backend->enumerate();
    device = backend->open(number);
    queue = device->create_queue();
}

backend::MatmulDescription product(std::int64_t m, std::int64_t n, std::int64_t k, DType type) {
    backend::MatmulDescription d;
    d.m = m;
    d.n = n;
    d.k = k;
    d.a = {type, k, 1, {}, 256};
    d.b = {type, n, 1, {}, 256};
    d.out = {type, n, 1, {}, 256};
    d.workspace_limit = std::size_t{4} << 20;
    return d;
}

backend::ConvolutionDescription convolution(std::int64_t images, std::int64_t channels, std::int64_t size,
                                            std::int64_t filters, DType type) {
    const auto packed = [&](std::array<std::int64_t, 4> sizes) {
        backend::ConvolutionDescription::Tensor tensor;
        tensor.type = type;
        tensor.sizes = sizes;
        tensor.strides = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
        tensor.alignment = 256;
        return tensor;
    };
    backend::ConvolutionDescription d;
    d.image = packed({images, channels, size, size});
    d.filter = packed({filters, channels, 3, 3});
    d.result = packed({images, filters, size, size});
    d.padding_before = d.padding_behind = {1, 1};
    d.workspace_limit = std::size_t{4} << 20;
    return d;
}

unsigned long calls(const char* name) {
    using Function = unsigned long(const char*);
    static Function* const count = [] {
        void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<Function*>(library != nullptr ? dlsym(library, "virtual_cuda_calls") : nullptr);
    }();
    if (count == nullptr)
        throw std::runtime_error("the stand-in for CUDA's driver is not loaded");
    return count(name);
}

} // namespace devq::cuda_test
