#pragma once
/// Convolutions by cuDNN, opened at run time.

#include "context.hpp"
#include "cudnn_graph.hpp"
#include "plans.hpp"

namespace devq::cuda {

/// cuDNN on one device. Thread-safe.
class DnnConvolution {
public:
    /// The context is current. Throws what the library says.
    DnnConvolution(std::shared_ptr<Context> context, std::shared_ptr<const Cudnn> library);
    ~DnnConvolution();
    DnnConvolution(const DnnConvolution&) = delete;
    DnnConvolution& operator=(const DnnConvolution&) = delete;

    struct Addresses {
        abi::DevicePointer image = 0, filter = 0, result = 0, workspace = 0;
    };
    // The context is current in both.
    backend::VendorSupport supports(const backend::ConvolutionDescription& description);
    void run(abi::Stream stream, const backend::ConvolutionDescription& description, const Addresses& at);

private:
    struct Plan;
    std::shared_ptr<Plan> plan(const backend::ConvolutionDescription& description);
    Error error(abi::DnnResult result, const char* call) const;

    std::shared_ptr<Context> context_;
    std::shared_ptr<const Cudnn> library_;
    std::mutex mutex_; ///< a handle has one stream at a time, and serves one thread at a time
    abi::DnnHandle handle_ = nullptr;
    PlanCache<backend::ConvolutionDescription, Plan> plans_;
};

} // namespace devq::cuda
