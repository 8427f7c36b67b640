// The stand-in for libcudnn.so.9: the backend interface for one convolution at a time. Checks what the real one checks,
// and computes in f64 from the descriptors alone, when the stream's command runs. Its engines:
//   0  first of mode A: by a transform that mixes elements, and is wrong in the third digit: not to be taken
//   1  mode A: packed tensors, one group, the same padding on opposite sides; wants a workspace; says of gradients that
//      they are not the same each time
//   2  of the fallback mode: everything that cuDNN can do, without a workspace
#include "abi_cudnn.hpp"
#include "library.hpp"
#include <algorithm>
#include <array>
#include <optional>

using namespace virtual_cuda;

namespace {

struct DnnHandle {
    Device* device = nullptr;
    abi::Stream stream = nullptr;
};

struct Attribute {
    int type = 0;
    std::int64_t count = 0;
    std::vector<std::byte> bytes;
};

struct Descriptor {
    int kind = 0;
    bool finalized = false;
    std::map<int, Attribute> attributes;
    int engine = -1;            ///< of engines, their configurations and plans
    Descriptor* from = nullptr; ///< a configuration's graph

    template <class T>
    std::vector<T> values(int attribute) const {
        const auto found = attributes.find(attribute);
        if (found == attributes.end())
            return {};
        std::vector<T> list(found->second.bytes.size() / sizeof(T));
        std::memcpy(list.data(), found->second.bytes.data(), list.size() * sizeof(T));
        return list;
    }
    template <class T>
    T value(int attribute, T otherwise = {}) const {
        const auto list = values<T>(attribute);
        return list.size() == 1 ? list[0] : otherwise;
    }
    Descriptor* other(int attribute) const;
};

struct State {
    Objects<DnnHandle, abi::DnnHandle> handles;
    Objects<Descriptor, abi::DnnDescriptor> descriptors;
};
State& state() {
    static State one;
    return one;
}

/// Null unless it is living and finalized.
Descriptor* Descriptor::other(int attribute) const {
    Descriptor* const found = state().descriptors.find(value<abi::DnnDescriptor>(attribute));
    return found != nullptr && found->finalized ? found : nullptr;
}

/// What an attribute has to be given as; 0 bytes for one that is not known.
std::size_t element_size(int attribute, int type) {
    const auto is = [&](int wanted, std::size_t size) { return type == wanted ? size : 0; };
    switch (attribute) {
    case abi::convolution_compute_type:
    case abi::tensor_data_type:
        return is(abi::dnn_type_data_type, 4);
    case abi::convolution_mode:
        return is(abi::dnn_type_convolution_mode, 4);
    case abi::heuristics_mode:
        return is(abi::dnn_type_heuristics_mode, 4);
    case abi::convolution_dilations:
    case abi::convolution_strides:
    case abi::convolution_post_padding:
    case abi::convolution_pre_padding:
    case abi::convolution_dimensions:
    case abi::tensor_alignment:
    case abi::tensor_sizes:
    case abi::tensor_strides:
    case abi::tensor_id:
    case abi::variant_ids:
        return is(abi::dnn_type_int64, 8);
    case abi::forward_alpha:
    case abi::forward_beta:
    case abi::backward_data_alpha:
    case abi::backward_data_beta:
    case abi::backward_filter_alpha:
    case abi::backward_filter_beta:
        return is(abi::dnn_type_float, 4);
    case abi::plan_handle:
    case abi::graph_handle:
        return is(abi::dnn_type_handle, 8);
    case abi::variant_pointers:
    case abi::variant_workspace:
        return is(abi::dnn_type_pointer, 8);
    case abi::heuristics_graph:
    case abi::plan_engine_config:
    case abi::graph_operations:
        return is(abi::dnn_type_descriptor, 8);
    default:
        return attribute >= abi::forward_convolution && attribute <= abi::backward_filter_result
                   ? is(abi::dnn_type_descriptor, 8)
                   : 0;
    }
}

using Four = std::array<std::int64_t, 4>;
using Two = std::array<std::int64_t, 2>;

struct Tensor {
    std::int64_t id = 0;
    int type = 0;
    Four sizes{}, strides{};
    std::int64_t alignment = 0;

    std::int64_t span() const {
        std::int64_t last = 0;
        for (std::size_t axis = 0; axis < 4; ++axis)
            last += (sizes[axis] - 1) * strides[axis];
        return last + 1;
    }
    /// Elements one behind another, channels second or last.
    bool packed() const {
        for (const auto& order : {std::array<std::size_t, 4>{3, 2, 1, 0}, std::array<std::size_t, 4>{1, 3, 2, 0}}) {
            std::int64_t step = 1;
            bool fits = true;
            for (const std::size_t axis : order) {
                fits = fits && (sizes[axis] == 1 || strides[axis] == step);
                step *= sizes[axis];
            }
            if (fits)
                return true;
        }
        return false;
    }
};

std::optional<Number> number(int type) {
    switch (type) {
    case abi::dnn_f32:
        return Number::f32;
    case abi::dnn_f16:
        return Number::f16;
    case abi::dnn_bf16:
        return Number::bf16;
    default:
        return std::nullopt;
    }
}

template <std::size_t N>
std::optional<std::array<std::int64_t, N>> whole(const Descriptor& d, int attribute, std::int64_t least) {
    const auto list = d.values<std::int64_t>(attribute);
    std::array<std::int64_t, N> result{};
    if (list.size() != N || *std::min_element(list.begin(), list.end()) < least)
        return std::nullopt;
    std::copy(list.begin(), list.end(), result.begin());
    return result;
}

std::optional<Tensor> tensor(const Descriptor* d) {
    if (d == nullptr || d->kind != abi::dnn_tensor)
        return std::nullopt;
    const auto sizes = whole<4>(*d, abi::tensor_sizes, 1), strides = whole<4>(*d, abi::tensor_strides, 1);
    const Tensor made{d->value<std::int64_t>(abi::tensor_id, -1), d->value<int>(abi::tensor_data_type, -1),
                      sizes.value_or(Four{}), strides.value_or(Four{}), d->value<std::int64_t>(abi::tensor_alignment)};
    const bool power = made.alignment > 0 && (made.alignment & (made.alignment - 1)) == 0;
    if (!sizes || !strides || made.id < 0 || !number(made.type) || !power ||
        made.alignment < static_cast<std::int64_t>(size_of(*number(made.type))))
        return std::nullopt;
    return made;
}

/// An operation, read out of its descriptors.
struct Convolution {
    int kind = 0;
    Tensor image, filter, result;
    Two strides{}, dilations{}, before{}, behind{};
    float alpha = 1, beta = 0;

    std::int64_t groups() const { return image.sizes[1] / filter.sizes[1]; }
    const Tensor& written() const {
        return kind == abi::dnn_forward ? result : kind == abi::dnn_backward_data ? image : filter;
    }
};

std::optional<Convolution> convolution(const Descriptor* d) {
    if (d == nullptr)
        return std::nullopt;
    // All three have their attributes in the same order.
    const int first = d->kind == abi::dnn_forward         ? abi::forward_alpha
                      : d->kind == abi::dnn_backward_data ? abi::backward_data_alpha
                                                          : abi::backward_filter_alpha;
    const auto at = [&](int of_forward) { return first + of_forward - abi::forward_alpha; };
    const Descriptor* const how = d->other(at(abi::forward_convolution));
    const auto image = tensor(d->other(at(abi::forward_image))), filter = tensor(d->other(at(abi::forward_filter))),
               result = tensor(d->other(at(abi::forward_result)));
    if (how == nullptr || how->kind != abi::dnn_convolution || !image || !filter || !result)
        return std::nullopt;
    const auto strides = whole<2>(*how, abi::convolution_strides, 1),
               dilations = whole<2>(*how, abi::convolution_dilations, 1),
               before = whole<2>(*how, abi::convolution_pre_padding, 0),
               behind = whole<2>(*how, abi::convolution_post_padding, 0);
    if (!strides || !dilations || !before || !behind || how->value<std::int64_t>(abi::convolution_dimensions) != 2 ||
        how->value<int>(abi::convolution_compute_type, -1) != abi::dnn_f32 ||
        how->value<int>(abi::convolution_mode, -1) != abi::dnn_cross_correlation)
        return std::nullopt;
    Convolution c{d->kind,
                  *image,
                  *filter,
                  *result,
                  *strides,
                  *dilations,
                  *before,
                  *behind,
                  d->value<float>(at(abi::forward_alpha), 1),
                  d->value<float>(at(abi::forward_beta), 0)};
    const Four &x = c.image.sizes, &w = c.filter.sizes, &y = c.result.sizes;
    bool fits = x[0] == y[0] && w[0] == y[1] && x[1] % w[1] == 0 && w[0] % c.groups() == 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t padded = x[2 + i] + c.before[i] + c.behind[i], reach = c.dilations[i] * (w[2 + i] - 1) + 1;
        fits = fits && reach <= padded && y[2 + i] == (padded - reach) / c.strides[i] + 1;
    }
    fits = fits && c.filter.span() == w[0] * w[1] * w[2] * w[3]; // no gaps
    fits = fits && c.image.type == c.filter.type && c.image.type == c.result.type;
    return fits ? std::optional(c) : std::nullopt;
}

std::optional<Convolution> of_graph(const Descriptor* graph) {
    return graph != nullptr && graph->kind == abi::dnn_graph ? convolution(graph->other(abi::graph_operations))
                                                             : std::nullopt;
}

constexpr std::size_t workspace_wanted = std::size_t{2} << 20;
std::size_t workspace_of(int engine) { return engine == 1 ? workspace_wanted : 0; }

abi::DnnResult suits(int engine, const Convolution& c, const Device& device) {
    if (c.image.type == abi::dnn_bf16 && device.capability < 80)
        return abi::dnn_not_supported;
    if (engine == 1 &&
        (!c.image.packed() || !c.filter.packed() || !c.result.packed() || c.groups() != 1 || c.before != c.behind))
        return abi::dnn_not_supported_layout;
    return abi::dnn_success;
}

/// What finalizing does to a descriptor of each kind; success where the real one takes it.
abi::DnnResult judge(Descriptor& d) {
    const auto good = [](bool ok, abi::DnnResult otherwise = abi::dnn_bad_param) {
        return ok ? abi::dnn_success : otherwise;
    };
    switch (d.kind) {
    case abi::dnn_tensor:
        return good(tensor(&d).has_value());
    case abi::dnn_convolution:
        return good(whole<2>(d, abi::convolution_strides, 1).has_value());
    case abi::dnn_forward:
    case abi::dnn_backward_data:
    case abi::dnn_backward_filter:
        return good(convolution(&d).has_value(), abi::dnn_bad_param_shape);
    case abi::dnn_graph:
        return good(of_graph(&d).has_value(), abi::dnn_bad_param_not_finalized);
    case abi::dnn_heuristics: {
        const int mode = d.value<int>(abi::heuristics_mode, -1);
        return good(of_graph(d.other(abi::heuristics_graph)).has_value() &&
                    (mode == abi::dnn_mode_a || mode == abi::dnn_mode_fallback));
    }
    case abi::dnn_plan: {
        const Descriptor* const config = d.other(abi::plan_engine_config);
        const DnnHandle* const handle = state().handles.find(d.value<abi::DnnHandle>(abi::plan_handle));
        if (config == nullptr || config->kind != abi::dnn_engine_config || handle == nullptr)
            return abi::dnn_bad_param;
        d.engine = config->engine;
        d.from = config->from;
        const auto c = of_graph(d.from);
        return c ? suits(d.engine, *c, *handle->device) : abi::dnn_bad_param_not_finalized;
    }
    case abi::dnn_variant_pack:
        return good(!d.values<std::int64_t>(abi::variant_ids).empty() &&
                    d.values<std::int64_t>(abi::variant_ids).size() == d.values<void*>(abi::variant_pointers).size());
    default:
        return abi::dnn_not_supported;
    }
}

struct Addresses {
    abi::DevicePointer image = 0, filter = 0, result = 0, workspace = 0;
};

abi::Result compute(const Memory& memory, const Convolution& c, const Addresses& at, int engine) {
    const Number type = *number(c.image.type);
    const std::size_t size = size_of(type);
    const auto find = [&](const Tensor& tensor, abi::DevicePointer address) {
        return memory.find(address, static_cast<std::size_t>(tensor.span()) * size);
    };
    std::byte *const image = find(c.image, at.image), *const filter = find(c.filter, at.filter),
                     *const result = find(c.result, at.result);
    if (image == nullptr || filter == nullptr || result == nullptr)
        return abi::illegal_address;
    if (const std::size_t bytes = workspace_of(engine); bytes > 0) {
        std::byte* const workspace = memory.find(at.workspace, bytes);
        if (workspace == nullptr)
            return abi::illegal_address;
        std::memset(workspace, 0xA5, bytes); // whoever else keeps something there is to see it
    }
    const auto place = [](const Tensor& tensor, const Four& index) {
        std::int64_t element = 0;
        for (std::size_t axis = 0; axis < 4; ++axis)
            element += index[axis] * tensor.strides[axis];
        return static_cast<std::size_t>(element);
    };
    const Tensor& written = c.written();
    std::byte* const out = &written == &c.image ? image : &written == &c.filter ? filter : result;
    std::vector<double> sums(static_cast<std::size_t>(written.span()), 0.0);
    const auto value = [&](const Tensor& tensor, const std::byte* from, const Four& index) {
        return decode(type, from + place(tensor, index) * size);
    };
    const std::int64_t of_group = c.filter.sizes[1], filters = c.filter.sizes[0] / c.groups();
    Four y{};
    for (y[0] = 0; y[0] < c.result.sizes[0]; ++y[0])
        for (y[1] = 0; y[1] < c.result.sizes[1]; ++y[1])
            for (y[2] = 0; y[2] < c.result.sizes[2]; ++y[2])
                for (y[3] = 0; y[3] < c.result.sizes[3]; ++y[3]) {
                    Four w{y[1], 0, 0, 0};
                    for (w[1] = 0; w[1] < of_group; ++w[1])
                        for (w[2] = 0; w[2] < c.filter.sizes[2]; ++w[2])
                            for (w[3] = 0; w[3] < c.filter.sizes[3]; ++w[3]) {
                                const Four x{y[0], y[1] / filters * of_group + w[1],
                                             y[2] * c.strides[0] + w[2] * c.dilations[0] - c.before[0],
                                             y[3] * c.strides[1] + w[3] * c.dilations[1] - c.before[1]};
                                if (x[2] < 0 || x[2] >= c.image.sizes[2] || x[3] < 0 || x[3] >= c.image.sizes[3])
                                    continue;
                                if (c.kind == abi::dnn_forward)
                                    sums[place(c.result, y)] += value(c.image, image, x) * value(c.filter, filter, w);
                                else if (c.kind == abi::dnn_backward_data)
                                    sums[place(c.image, x)] += value(c.result, result, y) * value(c.filter, filter, w);
                                else
                                    sums[place(c.filter, w)] += value(c.image, image, x) * value(c.result, result, y);
                            }
                }
    Four index{};
    for (index[0] = 0; index[0] < written.sizes[0]; ++index[0])
        for (index[1] = 0; index[1] < written.sizes[1]; ++index[1])
            for (index[2] = 0; index[2] < written.sizes[2]; ++index[2])
                for (index[3] = 0; index[3] < written.sizes[3]; ++index[3]) {
                    const std::size_t element = place(written, index);
                    double x = c.alpha * sums[element];
                    if (c.beta != 0)
                        x += c.beta * decode(type, out + element * size);
                    encode(type, engine == 0 ? x * 1.01 + 0.01 : x, out + element * size);
                }
    return abi::success;
}

} // namespace

extern "C" DEVQ_API std::size_t cudnnGetVersion() noexcept;
extern "C" std::size_t cudnnGetVersion() noexcept { return 91900; }
extern "C" DEVQ_API std::size_t cudnnGetCudartVersion() noexcept;
extern "C" std::size_t cudnnGetCudartVersion() noexcept {
    const char* const built_for = std::getenv("VIRTUAL_CUDNN_RUNTIME");
    return built_for != nullptr ? std::stoul(built_for) : 13000;
}
extern "C" DEVQ_API const char* cudnnGetErrorString(int status) noexcept;
extern "C" const char* cudnnGetErrorString(int status) noexcept {
    return status < abi::dnn_bad_param          ? "CUDNN_STATUS_NOT_INITIALIZED"
           : status < abi::dnn_not_supported    ? "CUDNN_STATUS_BAD_PARAM"
           : status < abi::dnn_internal_error   ? "CUDNN_STATUS_NOT_SUPPORTED"
           : status < abi::dnn_execution_failed ? "CUDNN_STATUS_INTERNAL_ERROR"
                                                : "CUDNN_STATUS_EXECUTION_FAILED";
}
extern "C" DEVQ_API void cudnnGetLastErrorString(char* text, std::size_t size) noexcept;
extern "C" void cudnnGetLastErrorString(char* text, std::size_t size) noexcept {
    if (size > 0)
        *text = '\0';
}

DEVQ_LIBRARY(cudnnCreate, abi::DnnHandle* handle) {
    if (call.device() == nullptr)
        return abi::dnn_not_initialized;
    *handle = state().handles.add({call.device(), nullptr});
    return abi::dnn_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnDestroy, abi::DnnHandle handle) {
    return state().handles.remove(handle) ? abi::dnn_success : abi::dnn_bad_param;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnSetStream, abi::DnnHandle handle, abi::Stream stream) {
    DnnHandle* const found = state().handles.find(handle);
    if (found == nullptr || !find_stream(*found->device, stream))
        return abi::dnn_bad_param;
    found->stream = stream;
    return abi::dnn_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnBackendCreateDescriptor, int kind, void** descriptor) {
    Descriptor made;
    made.kind = kind;
    *descriptor = state().descriptors.add(std::move(made));
    return abi::dnn_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnBackendDestroyDescriptor, void* descriptor) {
    return state().descriptors.remove(descriptor) ? abi::dnn_success : abi::dnn_bad_param;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnBackendSetAttribute, void* descriptor, int attribute, int type, std::int64_t count,
             const void* values) {
    Descriptor* const found = state().descriptors.find(descriptor);
    if (found == nullptr || found->finalized || count < 1 || values == nullptr)
        return abi::dnn_bad_param;
    const std::size_t size = element_size(attribute, type);
    if (size == 0)
        return abi::dnn_bad_param_type;
    const auto* const first = static_cast<const std::byte*>(values);
    found->attributes[attribute] = {type, count, {first, first + static_cast<std::size_t>(count) * size}};
    return abi::dnn_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnBackendFinalize, void* descriptor) {
    Descriptor* const found = state().descriptors.find(descriptor);
    if (found == nullptr || found->finalized)
        return abi::dnn_bad_param;
    const abi::DnnResult result = judge(*found);
    found->finalized = result == abi::dnn_success;
    return result;
}
DEVQ_LIBRARY_END

// Results of descriptors are filled into those that the caller has made.
DEVQ_LIBRARY(cudnnBackendGetAttribute, void* descriptor, int attribute, int, std::int64_t wanted, std::int64_t* count,
             void* values) {
    Descriptor* const found = state().descriptors.find(descriptor);
    if (found == nullptr || !found->finalized)
        return abi::dnn_bad_param_not_finalized;
    *count = 0;
    const auto fill = [&](std::int64_t index, int kind, int engine, Descriptor* from) {
        if (index >= wanted)
            return false;
        Descriptor* const place = state().descriptors.find(static_cast<abi::DnnDescriptor*>(values)[index]);
        if (place == nullptr || place->kind != kind)
            return false;
        place->finalized = true;
        place->engine = engine;
        place->from = from;
        *count = index + 1;
        return true;
    };
    switch (attribute) {
    case abi::heuristics_results: {
        Descriptor* const graph = found->other(abi::heuristics_graph);
        if (found->value<int>(abi::heuristics_mode) == abi::dnn_mode_fallback)
            return fill(0, abi::dnn_engine_config, 2, graph) ? abi::dnn_success : abi::dnn_bad_param;
        return fill(0, abi::dnn_engine_config, 0, graph) && fill(1, abi::dnn_engine_config, 1, graph)
                   ? abi::dnn_success
                   : abi::dnn_bad_param;
    }
    case abi::engine_config_engine:
        return fill(0, abi::dnn_engine, found->engine, found->from) ? abi::dnn_success : abi::dnn_bad_param;
    case abi::engine_numerical_notes:
        if (found->engine == 0 && wanted > 0)
            static_cast<int*>(values)[(*count)++] = abi::note_winograd;
        if (found->engine == 1 && wanted > 0) {
            const auto c = of_graph(found->from);
            if (c && c->kind != abi::dnn_forward)
                static_cast<int*>(values)[(*count)++] = abi::note_nondeterministic;
        }
        return abi::dnn_success;
    case abi::plan_workspace:
        *static_cast<std::int64_t*>(values) = static_cast<std::int64_t>(workspace_of(found->engine));
        *count = 1;
        return abi::dnn_success;
    default:
        return abi::dnn_not_supported;
    }
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cudnnBackendExecute, abi::DnnHandle handle, void* plan_handle, void* pack_handle) {
    const DnnHandle* const library = state().handles.find(handle);
    const Descriptor *const plan = state().descriptors.find(plan_handle), *const pack =
                                                                              state().descriptors.find(pack_handle);
    if (library == nullptr || plan == nullptr || pack == nullptr || plan->kind != abi::dnn_plan || !plan->finalized ||
        pack->kind != abi::dnn_variant_pack || !pack->finalized ||
        plan->value<abi::DnnHandle>(abi::plan_handle) != handle)
        return abi::dnn_bad_param;
    if (call.device() != library->device)
        return abi::dnn_execution_failed;
    const auto stream = find_stream(*library->device, library->stream);
    const auto c = of_graph(plan->from);
    if (!stream || !c)
        return abi::dnn_bad_param;
    Addresses at;
    const auto ids = pack->values<std::int64_t>(abi::variant_ids);
    const auto pointers = pack->values<abi::DevicePointer>(abi::variant_pointers);
    for (std::size_t i = 0; i < ids.size(); ++i)
        for (const auto& [tensor, place] :
             {std::pair(&c->image, &at.image), {&c->filter, &at.filter}, {&c->result, &at.result}})
            if (tensor->id == ids[i]) {
                *place = pointers[i];
                if (pointers[i] % static_cast<abi::DevicePointer>(tensor->alignment) != 0)
                    return abi::dnn_bad_param_misaligned;
            }
    at.workspace = pack->value<abi::DevicePointer>(abi::variant_workspace);
    if (at.image == 0 || at.filter == 0 || at.result == 0 || (workspace_of(plan->engine) > 0 && at.workspace == 0))
        return abi::dnn_bad_param;
    Device* const device = library->device;
    World* const world = &call.world();
    stream->add([=, c = *c, engine = plan->engine]() -> abi::Result {
        if (const abi::Result fault = world->fault("kernel"); fault != abi::success)
            return fault;
        return device->broken != abi::success ? abi::success : compute(device->memory, c, at, engine);
    });
    return abi::dnn_success;
}
DEVQ_LIBRARY_END
