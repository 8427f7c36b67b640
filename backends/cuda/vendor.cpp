#include "vendor.hpp"

namespace devq::cuda {

template <class Table>
const Opened<Table>& Libraries::get(std::optional<Opened<Table>>& opened, const char* product) {
    const std::lock_guard lock(mutex_);
    if (!opened) {
        Opened<Table> found;
        auto table = std::make_shared<Table>();
        if (const auto why = load(*table, driver_version_))
            found.why_not = std::string(product) + " is not used: " + why->reason + ". " + why->remedy;
        else
            found.table = std::move(table);
        opened = std::move(found);
    }
    return *opened;
}

/// Null, and why_not, where the library is not there or does not work on this device.
template <class Engine, class Table>
Engine* Vendor::get(Part<Engine>& part, const Opened<Table>& library) {
    const std::lock_guard lock(mutex_);
    if (!part.tried && !library.table)
        part.why_not = library.why_not;
    else if (!part.tried)
        try {
            part.engine = std::make_unique<Engine>(context_, library.table);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::device_lost || error.code() == ErrorCode::out_of_memory)
                throw; // no word on the library
            part.why_not = error.what();
        }
    part.tried = true;
    return part.engine.get();
}

backend::VendorSupport Vendor::supports(const backend::MatmulDescription& description) {
    if (description.places != 0) {
        AddressedMatmul* const engine = get(addressed_, libraries_->cublas());
        return engine != nullptr ? engine->supports(description) : backend::VendorSupport{{}, 0, addressed_.why_not};
    }
    LtMatmul* const engine = get(matmul_, libraries_->cublaslt());
    return engine != nullptr ? engine->supports(description) : backend::VendorSupport{{}, 0, matmul_.why_not};
}

backend::VendorSupport Vendor::supports(const backend::ConvolutionDescription& description) {
    DnnConvolution* const engine = get(convolution_, libraries_->cudnn());
    return engine != nullptr ? engine->supports(description) : backend::VendorSupport{{}, 0, convolution_.why_not};
}

LtMatmul& Vendor::matmul() {
    if (LtMatmul* const engine = get(matmul_, libraries_->cublaslt()))
        return *engine;
    throw Error(ErrorCode::unsupported, {}, matmul_.why_not, "Take the portable path.");
}

AddressedMatmul& Vendor::addressed() {
    if (AddressedMatmul* const engine = get(addressed_, libraries_->cublas()))
        return *engine;
    throw Error(ErrorCode::unsupported, {}, addressed_.why_not, "Take the portable path.");
}

DnnConvolution& Vendor::convolution() {
    if (DnnConvolution* const engine = get(convolution_, libraries_->cudnn()))
        return *engine;
    throw Error(ErrorCode::unsupported, {}, convolution_.why_not, "Take the portable path.");
}

std::vector<std::pair<std::string, std::string>> Vendor::versions() {
    const auto text = [](const auto& part, const auto& library) {
        return part.engine ? library.table->version + " (" + library.table->file + ')' : part.why_not;
    };
    get(matmul_, libraries_->cublaslt());
    AddressedMatmul* const addressed = get(addressed_, libraries_->cublas());
    get(convolution_, libraries_->cudnn());
    return {{"cublaslt", text(matmul_, libraries_->cublaslt())},
            {"cublas", addressed != nullptr ? addressed->version() + " (" + libraries_->cublas().table->file + ')'
                                            : addressed_.why_not},
            {"cudnn", text(convolution_, libraries_->cudnn())}};
}

} // namespace devq::cuda
