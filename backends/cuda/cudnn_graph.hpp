#pragma once
/// A convolution as cuDNN's backend interface wants it described, and the search for an engine that does it.

#include "abi_cudnn.hpp"
#include "backend.hpp"
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace devq::cuda {

struct Cudnn {
#define DEVQ_CUDNN_MEMBER(name, symbol, older, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
    DEVQ_CUDNN_SYMBOLS(DEVQ_CUDNN_MEMBER)
#undef DEVQ_CUDNN_MEMBER
    std::string file;    ///< where it was found
    std::string version; ///< "9.19.0"

    /// The library's words for a failure, and what it says of the last one.
    std::string words(abi::DnnResult result) const;
};

/// Fills `library` with the cuDNN 9 that suits a driver of this version, or says why it cannot. DEVQ_CUDNN names a file
/// that is taken instead.
std::optional<Unavailable> load(Cudnn& library, int driver_version);

/// A descriptor of cuDNN's. What fails is remembered, and everything after it is left out.
class DnnDescriptor {
public:
    DnnDescriptor(const Cudnn& library, int kind) : library_(&library) {
        result_ = library.descriptor_create(kind, &handle_);
    }
    DnnDescriptor(DnnDescriptor&& other) noexcept
        : library_(other.library_), handle_(std::exchange(other.handle_, nullptr)), result_(other.result_) {}
    DnnDescriptor& operator=(DnnDescriptor&& other) noexcept {
        std::swap(library_, other.library_);
        std::swap(handle_, other.handle_);
        std::swap(result_, other.result_);
        return *this;
    }
    ~DnnDescriptor();

    abi::DnnDescriptor handle() const noexcept { return handle_; }
    abi::DnnResult result() const noexcept { return result_; }

    DnnDescriptor& set(int attribute, int type, std::int64_t count, const void* values) {
        if (result_ == abi::dnn_success)
            result_ = library_->set_attribute(handle_, attribute, type, count, values);
        return *this;
    }
    template <class T>
    DnnDescriptor& set(int attribute, int type, const T& value) {
        return set(attribute, type, 1, &value);
    }
    DnnDescriptor& set(int attribute, const DnnDescriptor& other) {
        if (result_ == abi::dnn_success)
            result_ = other.result();
        return set(attribute, abi::dnn_type_descriptor, other.handle());
    }
    DnnDescriptor& finalize() {
        if (result_ == abi::dnn_success)
            result_ = library_->finalize(handle_);
        return *this;
    }

private:
    const Cudnn* library_;
    abi::DnnDescriptor handle_ = nullptr;
    abi::DnnResult result_ = abi::dnn_success;
};

/// What plans are made for: a handle, or a device's properties (a finalized descriptor of kind dnn_device), which need
/// no GPU.
struct DnnTarget {
    abi::DnnHandle handle = nullptr;
    const DnnDescriptor* device = nullptr;
};

/// Engines for one convolution, in the order in which they are to be tried.
class DnnSearch {
public:
    static constexpr std::int64_t image_id = 'x', filter_id = 'w', result_id = 'y';

    /// `library` outlives it.
    DnnSearch(const Cudnn& library, const backend::ConvolutionDescription& description, DnnTarget target);

    struct Plan {
        DnnDescriptor descriptor;
        std::size_t workspace_bytes = 0;
    };
    /// The next engine whose plan finalizes, computes as devq promises, and needs no more than the description's
    /// workspace_limit. Null: none is left; reason() says what was wrong with the last.
    std::optional<Plan> next();
    const std::string& reason() const noexcept { return reason_; }
    /// Failures that say nothing of the convolution: the library could not do its work.
    abi::DnnResult broken() const noexcept { return broken_; }

private:
    void describe(const backend::ConvolutionDescription& description);
    bool ask(int mode);
    bool exact(const DnnDescriptor& config);
    bool failed(abi::DnnResult result, const char* what);

    const Cudnn& library_;
    DnnTarget target_;
    std::size_t workspace_limit_;
    bool tf32_, f32_, deterministic_;
    std::vector<DnnDescriptor> parts_; ///< what the graph refers to
    std::optional<DnnDescriptor> graph_;
    std::deque<DnnDescriptor> configs_;
    std::vector<int> modes_; ///< of the heuristics, still to be asked
    std::string reason_;
    abi::DnnResult broken_ = abi::dnn_success;
};

} // namespace devq::cuda
