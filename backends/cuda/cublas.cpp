#include "cublas.hpp"
#include "blas_matrix.hpp"
#include "library.hpp"
#include <cstdlib>

namespace devq::cuda {

namespace {

using backend::MatmulDescription;
using backend::VendorSupport;

constexpr LibraryWords words{
    "cuBLAS",
    "Install cuBLAS for this driver's version of CUDA (part of the CUDA toolkit; or `pip install nvidia-cublas`). "
    "Without it a list of matrices is one product after another."};

/// For the library, behind the lists: what the largest devices are at their best with is no more use here, where each
/// product is small.
constexpr std::size_t library_bytes = std::size_t{4} << 20;
constexpr std::size_t list_alignment = 256; // of the workspace, as the library wants it

std::size_t lists(const MatmulDescription& d) {
    const std::size_t bytes = AddressedMatmul::list_bytes(d);
    return (bytes + list_alignment - 1) / list_alignment * list_alignment;
}

/// A file beside the cuBLASLt that was asked for by name.
std::vector<std::string> candidates(int driver_version) {
    const char* const named = std::getenv("DEVQ_CUBLASLT");
    const std::string file = named != nullptr ? named : "";
    const std::size_t at = file.rfind("libcublasLt.so");
    if (at != file.npos)
        return {file.substr(0, at) + "libcublas.so" + file.substr(at + std::string_view("libcublasLt.so").size())};
    return toolkit_candidates("DEVQ_CUBLASLT", {"libcublas.so.13", "libcublas.so.12"}, driver_version);
}

} // namespace

std::optional<Unavailable> load(Cublas& table, int driver_version) {
    std::optional<Unavailable> why;
    const auto library = open_library(candidates(driver_version), words, why);
    if (!library)
        return why;
    SymbolFinder finder(*library);
#define DEVQ_CUBLAS_FIND(name, symbol, older, ...)                                                                     \
    table.name = reinterpret_cast<decltype(table.name)>(finder.find(#symbol, #older));
    DEVQ_CUBLAS_SYMBOLS(DEVQ_CUBLAS_FIND)
#undef DEVQ_CUBLAS_FIND
    if (auto missing = finder.missing("This cuBLAS is too old: install that of CUDA 12 or newer."))
        return missing;
    table.file = file_of(reinterpret_cast<const void*>(table.create));
    return other_cuda("cuBLAS", table.file, table.runtime_version(), driver_version);
}

AddressedMatmul::AddressedMatmul(std::shared_ptr<Context> context, std::shared_ptr<const Cublas> library)
    : context_(std::move(context)), library_(std::move(library)) {
    int major = 0;
    context_->check(context_->driver().device_attribute(&major, abi::attribute_major, context_->device()),
                    "cuDeviceGetAttribute");
    bf16_ = major >= 8;
    if (const abi::BlasResult result = library_->create(&handle_); result != abi::blas_success)
        throw error(result, "cublasCreate");
    int number = 0;
    abi::BlasResult result = library_->version_number(handle_, &number);
    if (result == abi::blas_success)
        result = library_->set_math(handle_, abi::blas_math_full_reduction);
    if (result != abi::blas_success) {
        const Error why = error(result, "cublasSetMathMode");
        library_->destroy(handle_);
        throw why;
    }
    version_ =
        std::to_string(number / 10000) + '.' + std::to_string(number / 100 % 100) + '.' + std::to_string(number % 100);
}

AddressedMatmul::~AddressedMatmul() {
    if (context_->try_enter())
        library_->destroy(handle_);
}

Error AddressedMatmul::error(abi::BlasResult result, const char* call) const {
    return blas_error(*context_, "cuBLAS " + version_, library_->status_name(result), result, call);
}

std::size_t AddressedMatmul::list_bytes(const MatmulDescription& d) noexcept {
    return static_cast<std::size_t>(d.places) * 3 * sizeof(abi::DevicePointer);
}

VendorSupport AddressedMatmul::supports(const MatmulDescription& d) const {
    const auto no = [](std::string reason) { return VendorSupport{{}, 0, std::move(reason)}; };
    if (d.a.type != d.b.type || (d.a.type != d.out.type && d.out.type != DType::f32) || blas_type(d.a.type) < 0 ||
        blas_type(d.out.type) < 0)
        return no("cuBLAS is used for f32, f16 and bf16, all of one type or with a result of f32");
    if (d.batch_rank != 0 || d.bias || d.epilogue != backend::Epilogue::none || (d.accumulate && d.c != d.out))
        return no("cuBLAS takes a list of matrices without batches, bias, activation and another c");
    std::string why;
    const auto found = blas_product(d, why);
    if (!found)
        return no(why);
    if (found->largest() > most_blas_size || d.places > most_blas_size)
        return no("cuBLAS takes up to 2^31 - 1 matrices of as many rows and columns");
    // Its kernels for halves and TF32 load 16 bytes at once, and do not say for which sizes.
    if (d.a.type != DType::f32 || d.compute == backend::Compute::tf32)
        for (const auto* matrix : {&d.a, &d.b, &d.out})
            if (matrix->alignment < 16)
                return no("cuBLAS wants matrices of f16, bf16 and TF32 at multiples of 16 bytes");
    if (d.a.type == DType::bf16 && !bf16_)
        return no("cuBLAS has bf16 from compute capability 8.0 on");
    if (lists(d) + library_bytes > d.workspace_limit)
        return no("there is too little memory for lists of addresses");
    return {"cublas", lists(d) + library_bytes, {}};
}

void AddressedMatmul::run(abi::Stream stream, const MatmulDescription& d, abi::DevicePointer workspace, float alpha,
                          float beta) {
    std::string why;
    const auto found = blas_product(d, why);
    if (!found)
        throw Error(ErrorCode::unsupported, {}, why, "Take the portable path.");
    const auto list = [&](std::int64_t number) {
        return reinterpret_cast<void**>(workspace + static_cast<std::size_t>(number * d.places) * sizeof(void*));
    };
    const auto narrow = [](std::int64_t x) { return static_cast<int>(x); };
    const auto transpose = [](const Stored& matrix) {
        return matrix.transposed ? abi::blas_transposed : abi::blas_plain;
    };
    const int type = blas_type(d.a.type);
    const bool tf32 = d.compute == backend::Compute::tf32;
    const float keep = d.accumulate ? beta : 0;
    const std::lock_guard lock(mutex_);
    const char* call = "cublasSetStream";
    abi::BlasResult result = library_->set_stream(handle_, stream);
    if (result == abi::blas_success) { // which forgets the workspace
        call = "cublasSetWorkspace";
        result = library_->set_workspace(handle_, reinterpret_cast<void*>(workspace + lists(d)), library_bytes);
    }
    if (result == abi::blas_success) {
        call = "cublasGemmBatchedEx";
        result = library_->products(handle_, transpose(found->left), transpose(found->right),
                                    narrow(found->swapped ? d.n : d.m), narrow(found->swapped ? d.m : d.n), narrow(d.k),
                                    &alpha, list(found->swapped ? 1 : 0), type, narrow(found->left.leading),
                                    list(found->swapped ? 0 : 1), type, narrow(found->right.leading), &keep, list(2),
                                    blas_type(d.out.type), narrow(found->out.leading), narrow(d.places),
                                    tf32 ? abi::blas_compute_tf32 : abi::blas_compute_f32, abi::blas_default);
    }
    if (result != abi::blas_success)
        throw error(result, call);
}

} // namespace devq::cuda
