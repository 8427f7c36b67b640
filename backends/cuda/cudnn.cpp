#include "cudnn.hpp"
#include <algorithm>

namespace devq::cuda {

namespace {

using backend::ConvolutionDescription;

/// Why the library is not asked at all; empty where it is.
std::string obstacle(const ConvolutionDescription& d) {
    for (const auto* tensor : {&d.image, &d.filter, &d.result}) {
        if (tensor->type != d.result.type ||
            (tensor->type != DType::f32 && tensor->type != DType::f16 && tensor->type != DType::bf16))
            return "cuDNN is used for f32, f16 and bf16, all of one type";
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (tensor->sizes[axis] < 1)
                return "cuDNN takes no empty tensors";
            if (tensor->strides[axis] == 0 && tensor->sizes[axis] > 1)
                return "cuDNN is not used for tensors whose elements are repeated";
        }
    }
    std::int64_t last = 0, elements = 1;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        last += (d.filter.sizes[axis] - 1) * d.filter.strides[axis];
        elements *= d.filter.sizes[axis];
    }
    return last + 1 == elements ? "" : "cuDNN takes no filters with gaps between their elements";
}

} // namespace

/// What is known of a description.
struct DnnConvolution::Plan {
    std::mutex mutex;
    std::optional<DnnSearch> search; ///< what comes after `current`
    std::optional<DnnSearch::Plan> current;
    std::string reason; ///< where there is no current one
};

DnnConvolution::DnnConvolution(std::shared_ptr<Context> context, std::shared_ptr<const Cudnn> library)
    : context_(std::move(context)), library_(std::move(library)) {
    if (const abi::DnnResult result = library_->create(&handle_); result != abi::dnn_success)
        throw error(result, "cudnnCreate");
}

DnnConvolution::~DnnConvolution() {
    if (context_->try_enter())
        library_->destroy(handle_);
}

/// The device's loss comes first: after it every call of the library fails in its own way.
Error DnnConvolution::error(abi::DnnResult result, const char* call) const {
    const std::string said = library_->words(result);
    context_->check_alive();
    ErrorCode code = ErrorCode::unavailable;
    if (result == abi::dnn_host_allocation_failed || result == abi::dnn_device_allocation_failed)
        code = ErrorCode::out_of_memory;
    else if (result >= abi::dnn_bad_param && result < abi::dnn_internal_error)
        code = ErrorCode::unsupported;
    return Error(code, {}, "cuDNN " + library_->version + " fails: " + said,
                 "Set DEVQ_PATH to portable for devq's own kernels; if memory is short, free buffers.", call, result);
}

std::shared_ptr<DnnConvolution::Plan> DnnConvolution::plan(const ConvolutionDescription& description) {
    return plans_.get(description, [&] {
        auto made = std::make_shared<Plan>();
        made->reason = obstacle(description);
        if (!made->reason.empty())
            return made;
        const std::lock_guard lock(mutex_);
        made->search.emplace(*library_, description, DnnTarget{handle_, nullptr});
        made->current = made->search->next();
        if (made->current)
            return made;
        if (made->search->broken() != abi::dnn_success)
            context_->check_alive(); // a loss is told; what else fails, the portable path can do
        made->reason = made->search->reason();
        made->search.reset();
        return made;
    });
}

backend::VendorSupport DnnConvolution::supports(const ConvolutionDescription& description) {
    const std::shared_ptr<Plan> plan = this->plan(description);
    const std::lock_guard lock(plan->mutex);
    if (!plan->current)
        return {{}, 0, plan->reason};
    return {"cudnn", plan->current->workspace_bytes, {}};
}

void DnnConvolution::run(abi::Stream stream, const ConvolutionDescription& description, const Addresses& at) {
    const std::shared_ptr<Plan> plan = this->plan(description);
    const std::lock_guard lock(plan->mutex);
    const auto pointer = [](abi::DevicePointer address) { return reinterpret_cast<void*>(address); };
    const std::array<std::int64_t, 3> ids{DnnSearch::image_id, DnnSearch::filter_id, DnnSearch::result_id};
    const std::array<void*, 3> pointers{pointer(at.image), pointer(at.filter), pointer(at.result)};
    DnnDescriptor pack(*library_, abi::dnn_variant_pack);
    pack.set(abi::variant_ids, abi::dnn_type_int64, 3, ids.data())
        .set(abi::variant_pointers, abi::dnn_type_pointer, 3, pointers.data())
        .set(abi::variant_workspace, abi::dnn_type_pointer, pointer(at.workspace))
        .finalize();
    if (pack.result() != abi::dnn_success)
        throw error(pack.result(), "cudnnBackendFinalize");
    const std::size_t workspace = plan->current ? plan->current->workspace_bytes : 0; // so much was asked for
    for (;;) {
        if (!plan->current)
            throw Error(ErrorCode::unsupported, {}, plan->reason, "Take the portable path.");
        if (plan->current->workspace_bytes > workspace)
            throw Error(ErrorCode::unsupported, {}, "cuDNN's next engine needs a larger workspace",
                        "Take the portable path now; the next call has it.");
        abi::DnnResult result;
        const char* call = "cudnnSetStream";
        {
            const std::lock_guard using_handle(mutex_);
            result = library_->set_stream(handle_, stream);
            if (result == abi::dnn_success) {
                call = "cudnnBackendExecute";
                result = library_->execute(handle_, plan->current->descriptor.handle(), pack.handle());
            }
        }
        if (result == abi::dnn_success)
            return;
        const Error why = error(result, call);
        if (why.code() == ErrorCode::out_of_memory)
            throw why;
        // This engine is not asked again. Where none is left, the portable path does it from now on.
        const std::lock_guard using_handle(mutex_);
        plan->current = plan->search->next();
        if (!plan->current)
            plan->reason = why.what();
    }
}

} // namespace devq::cuda
