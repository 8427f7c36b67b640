#pragma once
/// The CUDA backend by its contract, without the runtime in between.

#include "backend.hpp"
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace devq::cuda_test {

struct Contract {
    std::unique_ptr<backend::Backend> backend;
    std::shared_ptr<backend::Device> device;
    std::unique_ptr<backend::Queue> queue;

    /// The stand-in's device of this number.
    explicit Contract(std::size_t number);

    template <class T>
    std::shared_ptr<backend::Memory> put(const std::vector<T>& values) const {
        auto memory = device->allocate(values.size() * sizeof(T));
        queue->write(memory, 0, values.data(), values.size() * sizeof(T));
        return memory;
    }
    template <class T>
    std::vector<T> get(const std::shared_ptr<backend::Memory>& memory, std::size_t count) const {
        std::vector<T> values(count);
        queue->read(values.data(), memory, 0, count * sizeof(T));
        queue->wait();
        return values;
    }
};

/// Rows of unit stride, one behind another, each matrix aligned as memory blocks are.
backend::MatmulDescription product(std::int64_t m, std::int64_t n, std::int64_t k, DType type = DType::f32);
/// N, C, H, W one behind another, 3 × 3 filters, one row and column of zeros around.
backend::ConvolutionDescription convolution(std::int64_t images, std::int64_t channels, std::int64_t size,
                                            std::int64_t filters, DType type = DType::f32);

/// Calls of a stand-in's function since faults() was called last.
unsigned long calls(const char* name);

} // namespace devq::cuda_test
