#include "cudnn_graph.hpp"
#include "context.hpp"
#include "library.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>

namespace devq::cuda {

namespace {

using backend::ConvolutionDescription;
using backend::Direction;

constexpr LibraryWords words{
    "cuDNN",
    "Install cuDNN 9 for this driver's version of CUDA (NVIDIA's package cudnn; or `pip install "
    "nvidia-cudnn-cu13`), and let DEVQ_CUDNN name its libcudnn.so.9 file where the loader does not find it. Without "
    "it devq's own kernels do the work."};

/// Of the heuristics' answers so many are looked at.
constexpr std::int64_t most_configs = 32;

int data_type(DType type) {
    return type == DType::f32 ? abi::dnn_f32 : type == DType::f16 ? abi::dnn_f16 : abi::dnn_bf16;
}

DnnDescriptor tensor(const Cudnn& library, const ConvolutionDescription::Tensor& from, std::int64_t id) {
    DnnDescriptor made(library, abi::dnn_tensor);
    std::array<std::int64_t, 4> strides = from.strides;
    for (std::size_t axis = 0; axis < 4; ++axis) // of a single one any distance will do, but none at all is refused
        if (strides[axis] == 0)
            for (std::size_t other = 0; other < 4; ++other)
                strides[axis] = std::max(strides[axis], from.sizes[other] * from.strides[other]);
    // No engine gains by more than 16 bytes.
    const std::int64_t alignment = std::clamp<std::int64_t>(from.alignment, 1, 16);
    made.set(abi::tensor_id, abi::dnn_type_int64, id)
        .set(abi::tensor_data_type, abi::dnn_type_data_type, data_type(from.type))
        .set(abi::tensor_sizes, abi::dnn_type_int64, 4, from.sizes.data())
        .set(abi::tensor_strides, abi::dnn_type_int64, 4, strides.data())
        .set(abi::tensor_alignment, abi::dnn_type_int64, alignment)
        .finalize();
    return made;
}

/// An operation's attributes, by direction.
struct OperationNames {
    int kind, alpha, beta, convolution, filter, image, result;
};
OperationNames names(Direction direction) {
    using namespace abi;
    switch (direction) {
    case Direction::backward_data:
        return {dnn_backward_data,    backward_data_alpha, backward_data_beta,  backward_data_convolution,
                backward_data_filter, backward_data_image, backward_data_result};
    case Direction::backward_filter:
        return {dnn_backward_filter,    backward_filter_alpha, backward_filter_beta,  backward_filter_convolution,
                backward_filter_filter, backward_filter_image, backward_filter_result};
    default:
        return {dnn_forward,    forward_alpha, forward_beta,  forward_convolution,
                forward_filter, forward_image, forward_result};
    }
}

/// cuDNN opens cuBLASLt of its own CUDA by this name, without asking whether it could, and 9.28 ends the process where
/// it could not: so it is opened here first, from where it may be, and stays.
std::optional<Unavailable> open_cublaslt(const Cudnn& table) {
    const std::string major = std::to_string(table.runtime_version() / 1000), name = "libcublasLt.so." + major;
    std::vector<std::string> candidates = toolkit_candidates("", {name}, 0);
    if (const std::size_t slash = table.file.rfind('/'); slash != std::string::npos)
        for (const char* beside : {"/", "/../../cublas/lib/", "/../../cu13/lib/"}) // Python's packages
            candidates.push_back(table.file.substr(0, slash) + beside + name);
    if (const char* named = std::getenv("DEVQ_CUBLASLT"); named != nullptr && *named != '\0')
        candidates.push_back(named);
    std::optional<Unavailable> why;
    const auto library = open_library(candidates, {"cuBLASLt", ""}, why);
    if (library)
        return std::nullopt;
    return fault("dependency_missing", "cuDNN " + table.version + " (" + table.file + ") needs " + why->reason,
                 "Install cuBLAS for CUDA " + major +
                     " (part of the toolkit, and a Python package of NVIDIA's), or add the "
                     "folder of " +
                     name + " to the loader's search path.");
}

} // namespace

std::string Cudnn::words(abi::DnnResult result) const {
    const char* name = error_string(result);
    std::string text = name != nullptr ? name : "cuDNN error " + std::to_string(result);
    std::array<char, 512> more{};
    last_error(more.data(), more.size() - 1);
    std::string detail = more.data();
    std::replace(detail.begin(), detail.end(), '\n', ' ');
    while (!detail.empty() && detail.back() == ' ')
        detail.pop_back();
    return detail.empty() ? text : text + ": " + detail;
}

std::optional<Unavailable> load(Cudnn& table, int driver_version) {
    std::optional<Unavailable> why;
    std::vector<std::string> candidates = toolkit_candidates("DEVQ_CUDNN", {"libcudnn.so.9"}, 0);
    const auto library = open_library(candidates, cuda::words, why);
    if (!library)
        return why;
    SymbolFinder finder(*library);
#define DEVQ_CUDNN_FIND(name, symbol, older, ...)                                                                      \
    table.name = reinterpret_cast<decltype(table.name)>(finder.find(#symbol, #older));
    DEVQ_CUDNN_SYMBOLS(DEVQ_CUDNN_FIND)
#undef DEVQ_CUDNN_FIND
    if (auto missing = finder.missing("This cuDNN is too old: install cuDNN 9."))
        return missing;
    table.file = file_of(reinterpret_cast<const void*>(table.version_number));
    const std::size_t number = table.version_number();
    table.version =
        std::to_string(number / 10000) + '.' + std::to_string(number / 100 % 100) + '.' + std::to_string(number % 100);
    if (auto other = other_cuda("cuDNN " + table.version, table.file, table.runtime_version(), driver_version))
        return other;
    return open_cublaslt(table);
}

DnnDescriptor::~DnnDescriptor() {
    if (handle_ != nullptr && !process_ends())
        library_->descriptor_destroy(handle_);
}

DnnSearch::DnnSearch(const Cudnn& library, const ConvolutionDescription& description, DnnTarget target)
    : library_(library), target_(target), workspace_limit_(description.workspace_limit),
      tf32_(description.compute == backend::Compute::tf32), f32_(description.result.type == DType::f32),
      deterministic_(description.deterministic), modes_{abi::dnn_mode_fallback, abi::dnn_mode_a} {
    describe(description);
}

void DnnSearch::describe(const ConvolutionDescription& d) {
    const OperationNames name = names(d.direction);
    parts_.reserve(5);
    parts_.push_back(tensor(library_, d.image, image_id));
    parts_.push_back(tensor(library_, d.filter, filter_id));
    parts_.push_back(tensor(library_, d.result, result_id));
    const std::int64_t dimensions = 2;
    parts_.emplace_back(library_, abi::dnn_convolution)
        .set(abi::convolution_compute_type, abi::dnn_type_data_type, abi::dnn_f32)
        .set(abi::convolution_mode, abi::dnn_type_convolution_mode, abi::dnn_cross_correlation)
        .set(abi::convolution_dimensions, abi::dnn_type_int64, dimensions)
        .set(abi::convolution_dilations, abi::dnn_type_int64, 2, d.dilation.data())
        .set(abi::convolution_strides, abi::dnn_type_int64, 2, d.stride.data())
        .set(abi::convolution_pre_padding, abi::dnn_type_int64, 2, d.padding_before.data())
        .set(abi::convolution_post_padding, abi::dnn_type_int64, 2, d.padding_behind.data())
        .finalize();
    const float alpha = 1, beta = d.accumulate ? 1.0f : 0.0f;
    const DnnDescriptor& operation = parts_.emplace_back(library_, name.kind)
                                         .set(name.image, parts_[0])
                                         .set(name.filter, parts_[1])
                                         .set(name.result, parts_[2])
                                         .set(name.convolution, parts_[3])
                                         .set(name.alpha, abi::dnn_type_float, alpha)
                                         .set(name.beta, abi::dnn_type_float, beta)
                                         .finalize();
    graph_.emplace(library_, abi::dnn_graph);
    graph_->set(abi::graph_operations, operation);
    if (target_.handle != nullptr)
        graph_->set(abi::graph_handle, abi::dnn_type_handle, target_.handle);
    graph_->finalize();
    if (failed(graph_->result(), "the convolution"))
        modes_.clear();
}

/// Keeps why; true for any failure.
bool DnnSearch::failed(abi::DnnResult result, const char* what) {
    if (result == abi::dnn_success)
        return false;
    reason_ = "cuDNN " + library_.version + " refuses " + what + ": " + library_.words(result);
    if (result < abi::dnn_bad_param || result >= abi::dnn_internal_error)
        broken_ = result;
    return true;
}

/// Adds what the heuristics of `mode` answer.
bool DnnSearch::ask(int mode) {
    DnnDescriptor heuristics(library_, abi::dnn_heuristics);
    heuristics.set(abi::heuristics_graph, *graph_).set(abi::heuristics_mode, abi::dnn_type_heuristics_mode, mode);
    if (target_.device != nullptr)
        heuristics.set(abi::heuristics_device, *target_.device);
    if (failed(heuristics.finalize().result(), "to look for an engine"))
        return false;
    std::vector<DnnDescriptor> found;
    std::vector<abi::DnnDescriptor> handles;
    for (std::int64_t i = 0; i < most_configs; ++i)
        handles.push_back(found.emplace_back(library_, abi::dnn_engine_config).handle());
    std::int64_t count = 0;
    if (failed(library_.get_attribute(heuristics.handle(), abi::heuristics_results, abi::dnn_type_descriptor,
                                      most_configs, &count, handles.data()),
               "to name engines"))
        return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, most_configs)); ++i)
        configs_.push_back(std::move(found[i]));
    return true;
}

/// Each element within its own bound, and no NaN or infinity but where one belongs: no transforms, which mix elements;
/// no sums or operands of less than f32, unless TF32 was asked for; and the same bits each time, where that was.
bool DnnSearch::exact(const DnnDescriptor& config) {
    DnnDescriptor engine(library_, abi::dnn_engine);
    abi::DnnDescriptor handle = engine.handle();
    std::int64_t count = 0;
    std::array<int, abi::note_count> notes{};
    if (library_.get_attribute(config.handle(), abi::engine_config_engine, abi::dnn_type_descriptor, 1, &count,
                               &handle) != abi::dnn_success ||
        library_.get_attribute(handle, abi::engine_numerical_notes, abi::dnn_type_numerical_note, abi::note_count,
                               &count, notes.data()) != abi::dnn_success)
        return false;
    return std::none_of(
        notes.begin(), notes.begin() + std::clamp<std::int64_t>(count, 0, abi::note_count), [&](int note) {
            const bool rounds = note == abi::note_down_converts || (f32_ && note == abi::note_tensor_core);
            return (rounds && !tf32_) || note == abi::note_reduced_precision || note == abi::note_fft ||
                   note == abi::note_winograd || (note == abi::note_nondeterministic && deterministic_);
        });
}

std::optional<DnnSearch::Plan> DnnSearch::next() {
    for (;;) {
        if (configs_.empty()) {
            if (modes_.empty())
                return std::nullopt;
            const int mode = modes_.back();
            modes_.pop_back();
            ask(mode);
            continue;
        }
        const DnnDescriptor config = std::move(configs_.front());
        configs_.pop_front();
        if (!exact(config)) {
            reason_ = "cuDNN " + library_.version + " has engines that round more than devq allows" +
                      (deterministic_ ? ", or differently each time," : "") + " and no others";
            continue;
        }
        Plan plan{DnnDescriptor(library_, abi::dnn_plan)};
        if (target_.handle != nullptr)
            plan.descriptor.set(abi::plan_handle, abi::dnn_type_handle, target_.handle);
        if (target_.device != nullptr)
            plan.descriptor.set(abi::plan_device, *target_.device);
        if (failed(plan.descriptor.set(abi::plan_engine_config, config).finalize().result(), "its own engine"))
            continue;
        std::int64_t workspace = 0, count = 0;
        if (failed(library_.get_attribute(plan.descriptor.handle(), abi::plan_workspace, abi::dnn_type_int64, 1, &count,
                                          &workspace),
                   "to tell its workspace"))
            continue;
        plan.workspace_bytes = static_cast<std::size_t>(std::max<std::int64_t>(workspace, 0));
        if (plan.workspace_bytes <= workspace_limit_) {
            broken_ = abi::dnn_success;
            return plan;
        }
        reason_ = "cuDNN " + library_.version + " wants a workspace of " + std::to_string(plan.workspace_bytes) +
                  " bytes, more than there are for it";
    }
}

} // namespace devq::cuda
