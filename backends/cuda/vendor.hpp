#pragma once
/// NVIDIA's libraries of operations, as far as they are there. Each is opened when it is first asked for: they are
/// large, and many a program needs none.

#include "cublas.hpp"
#include "cublaslt.hpp"
#include "cudnn.hpp"
#include <mutex>
#include <string>

namespace devq::cuda {

/// A library of the process, or why there is none.
template <class Table>
struct Opened {
    std::shared_ptr<const Table> table;
    std::string why_not;
};

/// Shared by all devices. Thread-safe.
class Libraries {
public:
    explicit Libraries(int driver_version) : driver_version_(driver_version) {}
    const Opened<CublasLt>& cublaslt() { return get(cublaslt_, "cuBLASLt"); }
    const Opened<Cublas>& cublas() { return get(cublas_, "cuBLAS"); }
    const Opened<Cudnn>& cudnn() { return get(cudnn_, "cuDNN"); }

private:
    template <class Table>
    const Opened<Table>& get(std::optional<Opened<Table>>& opened, const char* product);

    int driver_version_;
    std::mutex mutex_;
    std::optional<Opened<CublasLt>> cublaslt_;
    std::optional<Opened<Cublas>> cublas_;
    std::optional<Opened<Cudnn>> cudnn_;
};

/// The libraries on one device, for it and its queues. Thread-safe.
class Vendor {
public:
    Vendor(std::shared_ptr<Context> context, std::shared_ptr<Libraries> libraries)
        : context_(std::move(context)), libraries_(std::move(libraries)) {}

    // The context is current in all of them.
    backend::VendorSupport supports(const backend::MatmulDescription& description);
    backend::VendorSupport supports(const backend::ConvolutionDescription& description);
    // Throw unsupported where supports() would say no to everything.
    LtMatmul& matmul();
    AddressedMatmul& addressed();
    DnnConvolution& convolution();

    /// For `devq info`: name, and version or why it is not used.
    std::vector<std::pair<std::string, std::string>> versions();

private:
    template <class Engine>
    struct Part {
        std::unique_ptr<Engine> engine;
        std::string why_not;
        bool tried = false;
    };
    template <class Engine, class Table>
    Engine* get(Part<Engine>& part, const Opened<Table>& library);

    std::shared_ptr<Context> context_;
    std::shared_ptr<Libraries> libraries_;
    std::mutex mutex_;
    Part<LtMatmul> matmul_;
    Part<AddressedMatmul> addressed_;
    Part<DnnConvolution> convolution_;
};

} // namespace devq::cuda
