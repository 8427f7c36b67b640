// cuDNN's graph interface as its manual says to use it: the first engine of the heuristics whose plan is made, whatever
// it rounds to and transforms. devq itself is choosier.
#include "direct.hpp"
#include <array>

namespace devq::bench {

namespace {

using namespace cuda;

constexpr std::size_t most_workspace = std::size_t{256} << 20;

DnnDescriptor tensor(const DnnLibrary& library, const Row& row, std::int64_t id, std::array<std::int64_t, 4> sizes) {
    const bool channels_last = size_of(row.type) == 2;
    const auto [n, c, h, w] = sizes;
    const std::array<std::int64_t, 4> strides = channels_last ? std::array{c * h * w, std::int64_t{1}, w * c, c}
                                                              : std::array{c * h * w, h * w, w, std::int64_t{1}};
    const int type = row.type == DType::f32 ? abi::dnn_f32 : row.type == DType::f16 ? abi::dnn_f16 : abi::dnn_bf16;
    const std::int64_t alignment = 16;
    DnnDescriptor made(library.table, abi::dnn_tensor);
    made.set(abi::tensor_id, abi::dnn_type_int64, id)
        .set(abi::tensor_data_type, abi::dnn_type_data_type, type)
        .set(abi::tensor_sizes, abi::dnn_type_int64, 4, sizes.data())
        .set(abi::tensor_strides, abi::dnn_type_int64, 4, strides.data())
        .set(abi::tensor_alignment, abi::dnn_type_int64, alignment)
        .finalize();
    return made;
}

/// Kind of the operation, and its attributes.
struct Names {
    int kind, image, filter, result, convolution, alpha, beta;
};
Names names(Kind kind) {
    using namespace abi;
    if (kind == Kind::conv2d_backward_data)
        return {dnn_backward_data,         backward_data_image, backward_data_filter, backward_data_result,
                backward_data_convolution, backward_data_alpha, backward_data_beta};
    if (kind == Kind::conv2d_backward_filter)
        return {dnn_backward_filter,         backward_filter_image, backward_filter_filter, backward_filter_result,
                backward_filter_convolution, backward_filter_alpha, backward_filter_beta};
    return {dnn_forward,         forward_image, forward_filter, forward_result,
            forward_convolution, forward_alpha, forward_beta};
}

struct Plan {
    DnnDescriptor descriptor;
    std::size_t workspace = 0;
};

Plan plan_of(const DnnLibrary& library, const DnnDescriptor& graph) {
    std::string why = "cuDNN names no engine";
    for (const int mode : {abi::dnn_mode_a, abi::dnn_mode_fallback}) {
        DnnDescriptor heuristics(library.table, abi::dnn_heuristics);
        heuristics.set(abi::heuristics_graph, graph)
            .set(abi::heuristics_mode, abi::dnn_type_heuristics_mode, mode)
            .finalize();
        std::vector<DnnDescriptor> found;
        std::vector<abi::DnnDescriptor> handles;
        for (int i = 0; i < 16; ++i)
            handles.push_back(found.emplace_back(library.table, abi::dnn_engine_config).handle());
        std::int64_t count = 0;
        if (heuristics.result() != abi::dnn_success ||
            library.table.get_attribute(heuristics.handle(), abi::heuristics_results, abi::dnn_type_descriptor, 16,
                                        &count, handles.data()) != abi::dnn_success)
            continue;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            Plan plan{DnnDescriptor(library.table, abi::dnn_plan)};
            plan.descriptor.set(abi::plan_handle, abi::dnn_type_handle, library.handle)
                .set(abi::plan_engine_config, found[i])
                .finalize();
            std::int64_t bytes = 0, told = 0;
            if (plan.descriptor.result() != abi::dnn_success) {
                why = library.table.words(plan.descriptor.result());
                continue;
            }
            library.check(library.table.get_attribute(plan.descriptor.handle(), abi::plan_workspace,
                                                      abi::dnn_type_int64, 1, &told, &bytes),
                          "cudnnBackendGetAttribute");
            plan.workspace = static_cast<std::size_t>(bytes);
            if (plan.workspace <= most_workspace)
                return plan;
            why = "its engines want larger workspaces";
        }
    }
    fail(why);
}

} // namespace

void DnnLibrary::check(abi::DnnResult result, const char* call) const {
    if (result != abi::dnn_success)
        fail(std::string(call) + ": " + table.words(result));
}

void DnnLibrary::open(const Gpu& gpu) {
    if (const auto why = load(table, gpu.version())) {
        why_not = why->reason;
        return;
    }
    version = table.version + " (" + table.file + ')';
    if (const abi::DnnResult result = table.create(&handle); result != abi::dnn_success)
        why_not = "cudnnCreate: " + table.words(result);
    else if (const abi::DnnResult set = table.set_stream(handle, gpu.stream()); set != abi::dnn_success)
        why_not = "cudnnSetStream: " + table.words(set);
}

void run_convolution(Result& result, const Gpu& gpu, const DnnLibrary& library, const Row& row, double seconds) {
    const std::array<std::int64_t, 4> image_sizes{row.images, row.channels, row.size, row.size},
        filter_sizes{row.filters, row.channels, 3, 3}, result_sizes{row.images, row.filters, row.size, row.size};
    const auto count = [](const std::array<std::int64_t, 4>& sizes) {
        return sizes[0] * sizes[1] * sizes[2] * sizes[3];
    };
    const Block image(gpu, row.type, count(image_sizes), 1), filter(gpu, row.type, count(filter_sizes), 2),
        output(gpu, row.type, count(result_sizes), 3);
    const Names name = names(row.kind);
    const DnnDescriptor x = tensor(library, row, 'x', image_sizes), w = tensor(library, row, 'w', filter_sizes),
                        y = tensor(library, row, 'y', result_sizes);
    const std::array<std::int64_t, 2> ones{1, 1};
    const std::int64_t dimensions = 2;
    DnnDescriptor convolution(library.table, abi::dnn_convolution);
    convolution.set(abi::convolution_compute_type, abi::dnn_type_data_type, abi::dnn_f32)
        .set(abi::convolution_mode, abi::dnn_type_convolution_mode, abi::dnn_cross_correlation)
        .set(abi::convolution_dimensions, abi::dnn_type_int64, dimensions)
        .set(abi::convolution_dilations, abi::dnn_type_int64, 2, ones.data())
        .set(abi::convolution_strides, abi::dnn_type_int64, 2, ones.data())
        .set(abi::convolution_pre_padding, abi::dnn_type_int64, 2, ones.data())
        .set(abi::convolution_post_padding, abi::dnn_type_int64, 2, ones.data())
        .finalize();
    const float alpha = 1, beta = 0;
    DnnDescriptor operation(library.table, name.kind);
    operation.set(name.image, x)
        .set(name.filter, w)
        .set(name.result, y)
        .set(name.convolution, convolution)
        .set(name.alpha, abi::dnn_type_float, alpha)
        .set(name.beta, abi::dnn_type_float, beta)
        .finalize();
    DnnDescriptor graph(library.table, abi::dnn_graph);
    graph.set(abi::graph_operations, operation).set(abi::graph_handle, abi::dnn_type_handle, library.handle).finalize();
    library.check(graph.result(), "cudnnBackendFinalize");
    const Plan plan = plan_of(library, graph);
    const Block workspace(gpu, plan.workspace);
    const std::array<std::int64_t, 3> ids{'x', 'w', 'y'};
    const std::array<void*, 3> pointers{image.pointer(), filter.pointer(), output.pointer()};
    DnnDescriptor pack(library.table, abi::dnn_variant_pack);
    pack.set(abi::variant_ids, abi::dnn_type_int64, 3, ids.data())
        .set(abi::variant_pointers, abi::dnn_type_pointer, 3, pointers.data())
        .set(abi::variant_workspace, abi::dnn_type_pointer, workspace.pointer())
        .finalize();
    library.check(pack.result(), "cudnnBackendFinalize");
    result.path = "cudnn";
    measure(
        result, seconds,
        [&] {
            library.check(library.table.execute(library.handle, plan.descriptor.handle(), pack.handle()),
                          "cudnnBackendExecute");
        },
        [&] { gpu.wait(); });
    const Block& written = row.kind == Kind::conv2d_backward_data     ? image
                           : row.kind == Kind::conv2d_backward_filter ? filter
                                                                      : output;
    result.sum = absolute_sum(row.type, written.first(static_cast<std::size_t>(summed) * size_of(row.type)));
}

} // namespace devq::bench
