// devq's own declarations of cuDNN's binary interface against its header: all that is compared is compared when this
// file is compiled.
#include "abi_cudnn.hpp"
#include "abi_same.hpp"
#include <cudnn.h>
#include <doctest/doctest.h>

namespace {

using namespace devq::cuda;
using devq::cuda_test::SameFunction;

#define DEVQ_SAME(name, symbol, older, ...)                                                                            \
    static_assert(SameFunction<__VA_ARGS__, std::remove_pointer_t<decltype(&symbol)>>::value, #symbol);
DEVQ_CUDNN_SYMBOLS(DEVQ_SAME)
#undef DEVQ_SAME

// Each constant of ours and the header's: a name that one side lacks does not compile.
#define DEVQ_CONSTANTS(X)                                                                                              \
    X(dnn_success, CUDNN_STATUS_SUCCESS)                                                                               \
    X(dnn_not_initialized, CUDNN_STATUS_NOT_INITIALIZED)                                                               \
    X(dnn_sublibrary_loading_failed, CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED)                                           \
    X(dnn_bad_param, CUDNN_STATUS_BAD_PARAM)                                                                           \
    X(dnn_bad_param_misaligned, CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER)                                             \
    X(dnn_bad_param_not_finalized, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED)                                               \
    X(dnn_bad_param_shape, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH)                                                      \
    X(dnn_bad_param_type, CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE)                                                       \
    X(dnn_not_supported, CUDNN_STATUS_NOT_SUPPORTED)                                                                   \
    X(dnn_not_supported_layout, CUDNN_STATUS_NOT_SUPPORTED_LAYOUT)                                                     \
    X(dnn_internal_error, CUDNN_STATUS_INTERNAL_ERROR)                                                                 \
    X(dnn_host_allocation_failed, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED)                                  \
    X(dnn_device_allocation_failed, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)                              \
    X(dnn_execution_failed, CUDNN_STATUS_EXECUTION_FAILED)                                                             \
    X(dnn_convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)                                                           \
    X(dnn_engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR)                                                                     \
    X(dnn_engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)                                                           \
    X(dnn_heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)                                                             \
    X(dnn_plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)                                                               \
    X(dnn_forward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)                                             \
    X(dnn_backward_filter, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)                             \
    X(dnn_backward_data, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)                                 \
    X(dnn_graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)                                                              \
    X(dnn_variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)                                                         \
    X(dnn_tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR)                                                                     \
    X(dnn_device, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR)                                                                 \
    X(dnn_type_handle, CUDNN_TYPE_HANDLE)                                                                              \
    X(dnn_type_data_type, CUDNN_TYPE_DATA_TYPE)                                                                        \
    X(dnn_type_int64, CUDNN_TYPE_INT64)                                                                                \
    X(dnn_type_float, CUDNN_TYPE_FLOAT)                                                                                \
    X(dnn_type_pointer, CUDNN_TYPE_VOID_PTR)                                                                           \
    X(dnn_type_convolution_mode, CUDNN_TYPE_CONVOLUTION_MODE)                                                          \
    X(dnn_type_heuristics_mode, CUDNN_TYPE_HEUR_MODE)                                                                  \
    X(dnn_type_numerical_note, CUDNN_TYPE_NUMERICAL_NOTE)                                                              \
    X(dnn_type_descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR)                                                              \
    X(dnn_type_char, CUDNN_TYPE_CHAR)                                                                                  \
    X(convolution_compute_type, CUDNN_ATTR_CONVOLUTION_COMP_TYPE)                                                      \
    X(convolution_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE)                                                              \
    X(convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS)                                                         \
    X(convolution_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)                                                      \
    X(convolution_post_padding, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)                                                  \
    X(convolution_pre_padding, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)                                                    \
    X(convolution_dimensions, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS)                                                     \
    X(heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE)                                                                     \
    X(heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)                                                         \
    X(heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS)                                                               \
    X(engine_config_engine, CUDNN_ATTR_ENGINECFG_ENGINE)                                                               \
    X(plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE)                                                                   \
    X(plan_engine_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)                                                     \
    X(plan_workspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)                                                        \
    X(forward_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA)                                                   \
    X(forward_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA)                                                     \
    X(forward_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC)                                         \
    X(forward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W)                                                      \
    X(forward_image, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X)                                                       \
    X(forward_result, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y)                                                      \
    X(backward_data_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA)                                            \
    X(backward_data_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA)                                              \
    X(backward_data_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC)                                  \
    X(backward_data_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W)                                               \
    X(backward_data_image, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX)                                               \
    X(backward_data_result, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY)                                              \
    X(backward_filter_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA)                                        \
    X(backward_filter_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA)                                          \
    X(backward_filter_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC)                              \
    X(backward_filter_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW)                                          \
    X(backward_filter_image, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X)                                            \
    X(backward_filter_result, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY)                                          \
    X(graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE)                                                                  \
    X(graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS)                                                                 \
    X(tensor_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)                                                              \
    X(tensor_data_type, CUDNN_ATTR_TENSOR_DATA_TYPE)                                                                   \
    X(tensor_sizes, CUDNN_ATTR_TENSOR_DIMENSIONS)                                                                      \
    X(tensor_strides, CUDNN_ATTR_TENSOR_STRIDES)                                                                       \
    X(tensor_id, CUDNN_ATTR_TENSOR_UNIQUE_ID)                                                                          \
    X(variant_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS)                                                                 \
    X(variant_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)                                                         \
    X(variant_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE)                                                            \
    X(engine_numerical_notes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE)                                                        \
    X(dnn_f32, CUDNN_DATA_FLOAT)                                                                                       \
    X(dnn_f16, CUDNN_DATA_HALF)                                                                                        \
    X(dnn_bf16, CUDNN_DATA_BFLOAT16)                                                                                   \
    X(dnn_cross_correlation, CUDNN_CROSS_CORRELATION)                                                                  \
    X(dnn_mode_fallback, CUDNN_HEUR_MODE_FALLBACK)                                                                     \
    X(dnn_mode_a, CUDNN_HEUR_MODE_A)                                                                                   \
    X(note_tensor_core, CUDNN_NUMERICAL_NOTE_TENSOR_CORE)                                                              \
    X(note_down_converts, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)                                                    \
    X(note_reduced_precision, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)                                        \
    X(note_fft, CUDNN_NUMERICAL_NOTE_FFT)                                                                              \
    X(note_nondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)                                                    \
    X(note_winograd, CUDNN_NUMERICAL_NOTE_WINOGRAD)
#define DEVQ_SAME(ours, theirs)                                                                                        \
    static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs);
DEVQ_CONSTANTS(DEVQ_SAME)
#undef DEVQ_SAME
#if CUDNN_VERSION >= 91900
static_assert(abi::heuristics_device == CUDNN_ATTR_ENGINEHEUR_DEVICEPROP &&
              abi::plan_device == CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP &&
              abi::device_json == CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION &&
              abi::note_count <= CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
#endif

#define DEVQ_ONE(...) +1
constexpr int compared = 0 DEVQ_CUDNN_SYMBOLS(DEVQ_ONE) DEVQ_CONSTANTS(DEVQ_ONE);

} // namespace

TEST_CASE("cuDNN's interface is declared as its header has it") {
    CHECK(compared > 90); // the comparisons themselves were made by the compiler
}
