#pragma once
/// Products of many matrices, each at an address of its own, by cuBLAS, opened at run time: cuBLASLt has nothing for
/// it.

#include "abi_cublas.hpp"
#include "backend.hpp"
#include "context.hpp"
#include <mutex>
#include <optional>
#include <type_traits>

namespace devq::cuda {

struct Cublas {
#define DEVQ_CUBLAS_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_CUBLAS_SYMBOLS(DEVQ_CUBLAS_MEMBER)
#undef DEVQ_CUBLAS_MEMBER
    std::string file; ///< as it was opened
};

/// Fills `library` with the cuBLAS that suits a driver of this version, or says why it cannot. It comes with cuBLASLt,
/// and is looked for beside the one that DEVQ_CUBLASLT names.
std::optional<Unavailable> load(Cublas& library, int driver_version);

/// cuBLAS on one device. Thread-safe.
class AddressedMatmul {
public:
    /// The context is current. Throws what the library says.
    AddressedMatmul(std::shared_ptr<Context> context, std::shared_ptr<const Cublas> library);
    ~AddressedMatmul();
    AddressedMatmul(const AddressedMatmul&) = delete;
    AddressedMatmul& operator=(const AddressedMatmul&) = delete;

    const std::string& version() const noexcept { return version_; }

    /// Of descriptions with `places`.
    backend::VendorSupport supports(const backend::MatmulDescription& description) const;
    /// What the workspace begins with: `places` addresses of each of a, b and out, in this order.
    static std::size_t list_bytes(const backend::MatmulDescription& description) noexcept;
    /// The context is current; the lists are in the workspace as soon as the stream has come to this command.
    void run(abi::Stream stream, const backend::MatmulDescription& description, abi::DevicePointer workspace,
             float alpha, float beta);

private:
    Error error(abi::BlasResult result, const char* call) const;

    std::shared_ptr<Context> context_;
    std::shared_ptr<const Cublas> library_;
    std::string version_;
    bool bf16_ = false;
    std::mutex mutex_; ///< guards the handle's stream and workspace
    abi::CublasHandle handle_ = nullptr;
};

} // namespace devq::cuda
