#pragma once
/// CUDA's driver and NVIDIA's libraries as a program uses them that has no devq.

#include "abi_cublas.hpp"
#include "cudnn_graph.hpp"
#include "driver.hpp"
#include "rows.hpp"
#include <stdexcept>

namespace devq::bench {

/// A device with a context and a stream of its own.
class Gpu {
public:
    explicit Gpu(int number);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    const cuda::Driver& driver() const { return driver_; }
    cuda::abi::Stream stream() const { return stream_; }
    int version() const { return version_; }
    void check(cuda::abi::Result result, const char* call) const;
    void wait() const { check(driver_.stream_synchronize(stream_), "cuStreamSynchronize"); }

private:
    cuda::Driver driver_;
    cuda::abi::DeviceNumber device_ = 0;
    cuda::abi::Context context_ = nullptr;
    cuda::abi::Stream stream_ = nullptr;
    int version_ = 0;
};

/// Device memory; filled with numbers() where there is a seed.
class Block {
public:
    Block(const Gpu& gpu, std::size_t bytes);
    Block(const Gpu& gpu, DType type, std::int64_t count, unsigned seed);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    cuda::abi::DevicePointer address() const { return address_; }
    void* pointer() const { return reinterpret_cast<void*>(address_); }
    std::size_t bytes() const { return bytes_; }
    std::vector<std::byte> first(std::size_t bytes) const;

private:
    const Gpu& gpu_;
    cuda::abi::DevicePointer address_ = 0;
    std::size_t bytes_ = 0;
};

/// Throws std::runtime_error with what is wrong.
[[noreturn]] void fail(const std::string& what);

struct BlasLibrary {
#define DEVQ_CUBLASLT_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_CUBLASLT_SYMBOLS(DEVQ_CUBLASLT_MEMBER)
#undef DEVQ_CUBLASLT_MEMBER
    cuda::abi::BlasHandle handle = nullptr;
    std::string version, why_not;

    void open(const Gpu& gpu);
    void check(cuda::abi::BlasResult result, const char* call) const;
};
void run_product(Result& result, const Gpu& gpu, const BlasLibrary& library, const Row& row, double seconds);

struct DnnLibrary {
    cuda::Cudnn table;
    cuda::abi::DnnHandle handle = nullptr;
    std::string version, why_not;

    void open(const Gpu& gpu);
    void check(cuda::abi::DnnResult result, const char* call) const;
};
void run_convolution(Result& result, const Gpu& gpu, const DnnLibrary& library, const Row& row, double seconds);

} // namespace devq::bench
