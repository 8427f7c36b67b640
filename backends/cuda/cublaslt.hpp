#pragma once
/// Products of matrices by cuBLASLt, opened at run time.

#include "abi_cublas.hpp"
#include "backend.hpp"
#include "context.hpp"
#include "plans.hpp"
#include <optional>
#include <type_traits>

namespace devq::cuda {

struct CublasLt {
#define DEVQ_CUBLASLT_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_CUBLASLT_SYMBOLS(DEVQ_CUBLASLT_MEMBER)
#undef DEVQ_CUBLASLT_MEMBER
    std::string file;    ///< as it was opened
    std::string version; ///< "13.1.0"
};

/// Fills `library` with the cuBLASLt that suits a driver of this version, or says why it cannot. DEVQ_CUBLASLT names a
/// file that is taken instead.
std::optional<Unavailable> load(CublasLt& library, int driver_version);

/// cuBLASLt on one device. Thread-safe.
class LtMatmul {
public:
    /// The context is current. Throws what the library says.
    LtMatmul(std::shared_ptr<Context> context, std::shared_ptr<const CublasLt> library);
    ~LtMatmul();
    LtMatmul(const LtMatmul&) = delete;
    LtMatmul& operator=(const LtMatmul&) = delete;

    struct Addresses {
        abi::DevicePointer a = 0, b = 0, out = 0, c = 0, bias = 0, workspace = 0;
        float alpha = 1, beta = 0;
    };
    // The context is current in both.
    backend::VendorSupport supports(const backend::MatmulDescription& description);
    void run(abi::Stream stream, const backend::MatmulDescription& description, const Addresses& at);

private:
    struct Plan;
    std::shared_ptr<Plan> plan(const backend::MatmulDescription& description);
    std::shared_ptr<Plan> make(const backend::MatmulDescription& description);
    void call(Plan& plan, abi::Stream stream, const Addresses& at, bool first);
    Error error(abi::BlasResult result, const char* call) const;

    std::shared_ptr<Context> context_;
    std::shared_ptr<const CublasLt> library_;
    abi::BlasHandle handle_ = nullptr;
    PlanCache<backend::MatmulDescription, Plan> plans_;
};

} // namespace devq::cuda
