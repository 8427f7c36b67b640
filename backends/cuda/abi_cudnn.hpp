#pragma once
/// The part of cuDNN 9's binary interface that devq uses, declared by us: the backend (graph) interface. A test
/// compares it with a toolkit's cudnn.h.

#include "abi.hpp"
#include <cstdint>

namespace devq::cuda::abi {

using DnnResult = int;
using DnnHandle = struct DnnHandleState*;
using DnnDescriptor = void*;

inline constexpr DnnResult dnn_success = 0;
inline constexpr DnnResult dnn_not_initialized = 1001;
inline constexpr DnnResult dnn_sublibrary_loading_failed = 1008;
inline constexpr DnnResult dnn_bad_param = 2000; ///< the first of its kind
inline constexpr DnnResult dnn_bad_param_misaligned = 2003;
inline constexpr DnnResult dnn_bad_param_not_finalized = 2004;
inline constexpr DnnResult dnn_bad_param_shape = 2008;
inline constexpr DnnResult dnn_bad_param_type = 2010;
inline constexpr DnnResult dnn_not_supported = 3000; ///< the first of its kind
inline constexpr DnnResult dnn_not_supported_layout = 3004;
inline constexpr DnnResult dnn_internal_error = 4000;
inline constexpr DnnResult dnn_host_allocation_failed = 4003;
inline constexpr DnnResult dnn_device_allocation_failed = 4004;
inline constexpr DnnResult dnn_execution_failed = 5000;

// Kinds of descriptors
inline constexpr int dnn_convolution = 1;
inline constexpr int dnn_engine = 2;
inline constexpr int dnn_engine_config = 3;
inline constexpr int dnn_heuristics = 4;
inline constexpr int dnn_plan = 5;
inline constexpr int dnn_forward = 10;
inline constexpr int dnn_backward_filter = 11;
inline constexpr int dnn_backward_data = 12;
inline constexpr int dnn_graph = 15;
inline constexpr int dnn_variant_pack = 16;
inline constexpr int dnn_tensor = 17;
inline constexpr int dnn_device = 38;

// Types of attributes
inline constexpr int dnn_type_handle = 0;
inline constexpr int dnn_type_data_type = 1;
inline constexpr int dnn_type_int64 = 3;
inline constexpr int dnn_type_float = 4;
inline constexpr int dnn_type_pointer = 6;
inline constexpr int dnn_type_convolution_mode = 7;
inline constexpr int dnn_type_heuristics_mode = 8;
inline constexpr int dnn_type_numerical_note = 11;
inline constexpr int dnn_type_descriptor = 15;
inline constexpr int dnn_type_char = 24;

// Attributes
inline constexpr int convolution_compute_type = 100;
inline constexpr int convolution_mode = 101;
inline constexpr int convolution_dilations = 102;
inline constexpr int convolution_strides = 103;
inline constexpr int convolution_post_padding = 104;
inline constexpr int convolution_pre_padding = 105;
inline constexpr int convolution_dimensions = 106;
inline constexpr int heuristics_mode = 200;
inline constexpr int heuristics_graph = 201;
inline constexpr int heuristics_results = 202;
inline constexpr int heuristics_device = 204;
inline constexpr int engine_config_engine = 300;
inline constexpr int plan_handle = 400;
inline constexpr int plan_engine_config = 401;
inline constexpr int plan_workspace = 402;
inline constexpr int plan_device = 407;
inline constexpr int forward_alpha = 700, forward_beta = 701, forward_convolution = 702;
inline constexpr int forward_filter = 703, forward_image = 704, forward_result = 705;
inline constexpr int backward_data_alpha = 706, backward_data_beta = 707, backward_data_convolution = 708;
inline constexpr int backward_data_filter = 709, backward_data_image = 710, backward_data_result = 711;
inline constexpr int backward_filter_alpha = 712, backward_filter_beta = 713, backward_filter_convolution = 714;
inline constexpr int backward_filter_filter = 715, backward_filter_image = 716, backward_filter_result = 717;
inline constexpr int graph_handle = 800;
inline constexpr int graph_operations = 801;
inline constexpr int tensor_alignment = 900;
inline constexpr int tensor_data_type = 901;
inline constexpr int tensor_sizes = 902;
inline constexpr int tensor_strides = 903;
inline constexpr int tensor_id = 906;
inline constexpr int variant_ids = 1000;
inline constexpr int variant_pointers = 1001;
inline constexpr int variant_workspace = 1003;
inline constexpr int engine_numerical_notes = 1303;
inline constexpr int device_json = 2702;

inline constexpr int dnn_f32 = 0, dnn_f16 = 2, dnn_bf16 = 9;
inline constexpr int dnn_cross_correlation = 1;
inline constexpr int dnn_mode_fallback = 2, dnn_mode_a = 3;

inline constexpr int note_tensor_core = 0;
inline constexpr int note_down_converts = 1;
inline constexpr int note_reduced_precision = 2;
inline constexpr int note_fft = 3;
inline constexpr int note_nondeterministic = 4;
inline constexpr int note_winograd = 5;
inline constexpr int note_count = 10;

} // namespace devq::cuda::abi

/// X(name in our table, exported symbol, symbol of older libraries or the same, signature).
#define DEVQ_CUDNN_SYMBOLS(X)                                                                                          \
    X(version_number, cudnnGetVersion, cudnnGetVersion, std::size_t())                                                 \
    X(runtime_version, cudnnGetCudartVersion, cudnnGetCudartVersion, std::size_t())                                    \
    X(error_string, cudnnGetErrorString, cudnnGetErrorString, const char*(int))                                        \
    X(last_error, cudnnGetLastErrorString, cudnnGetLastErrorString, void(char*, std::size_t))                          \
    X(create, cudnnCreate, cudnnCreate, int(::devq::cuda::abi::DnnHandle*))                                            \
    X(destroy, cudnnDestroy, cudnnDestroy, int(::devq::cuda::abi::DnnHandle))                                          \
    X(set_stream, cudnnSetStream, cudnnSetStream, int(::devq::cuda::abi::DnnHandle, ::devq::cuda::abi::Stream))        \
    X(descriptor_create, cudnnBackendCreateDescriptor, cudnnBackendCreateDescriptor, int(int, void**))                 \
    X(descriptor_destroy, cudnnBackendDestroyDescriptor, cudnnBackendDestroyDescriptor, int(void*))                    \
    X(finalize, cudnnBackendFinalize, cudnnBackendFinalize, int(void*))                                                \
    X(set_attribute, cudnnBackendSetAttribute, cudnnBackendSetAttribute,                                               \
      int(void*, int, int, std::int64_t, const void*))                                                                 \
    X(get_attribute, cudnnBackendGetAttribute, cudnnBackendGetAttribute,                                               \
      int(void*, int, int, std::int64_t, std::int64_t*, void*))                                                        \
    X(execute, cudnnBackendExecute, cudnnBackendExecute, int(::devq::cuda::abi::DnnHandle, void*, void*))
