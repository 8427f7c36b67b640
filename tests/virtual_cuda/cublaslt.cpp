// The stand-in for libcublasLt.so.13: checks what the real one checks, and computes in f64 from the descriptors alone,
// when the stream's command runs. Its relu gives 0 for NaN, since the real one promises nothing else.
#include "abi_cublas.hpp"
#include "library_blas.hpp"

using namespace virtual_cuda;

namespace {

struct Handle {
    Device* device = nullptr;
};
struct ProductOptions {
    int compute = 0, scale = 0;
    std::int32_t transpose_a = 0, transpose_b = 0, bias_type = -1;
    std::uint32_t epilogue = abi::epilogue_default;
    abi::DevicePointer bias = 0;
};
struct Layout {
    int type = 0;
    std::int64_t rows = 0, columns = 0, leading = 0, batch_stride = 0;
    std::int32_t batches = 1;

    /// Elements from the first to behind the last.
    std::int64_t span() const { return (batches - 1) * batch_stride + (columns - 1) * leading + rows; }
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t reductions = 7;
    std::uint32_t alignment[4] = {256, 256, 256, 256};
};

struct State {
    Objects<Handle, abi::BlasHandle> handles;
    Objects<ProductOptions, abi::BlasOperation> operations;
    Objects<Layout, abi::BlasLayout> layouts;
    Objects<Preference, abi::BlasPreference> preferences;
};
State& state() {
    static State one;
    return one;
}

/// One call's descriptors, read out.
struct Problem {
    ProductOptions operation;
    Layout a, b, c, d;

    std::int64_t k() const { return operation.transpose_a != 0 ? a.rows : a.columns; }
    bool has_bias() const { return (operation.epilogue & abi::epilogue_bias) != 0; }
    /// Of all that an algorithm was chosen for.
    std::uint64_t signature() const {
        std::uint64_t hash = 14695981039346656037u;
        const auto add = [&](std::int64_t value) {
            hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
        };
        for (const Layout* layout : {&a, &b, &c, &d})
            for (const std::int64_t value : {std::int64_t{layout->type}, layout->rows, layout->columns, layout->leading,
                                             layout->batch_stride, std::int64_t{layout->batches}})
                add(value);
        for (const std::int64_t value :
             {std::int64_t{operation.compute}, std::int64_t{operation.transpose_a}, std::int64_t{operation.transpose_b},
              std::int64_t{operation.epilogue}, std::int64_t{operation.bias_type}})
            add(value);
        return hash;
    }
};

/// As the real one answers; success where it would work.
abi::BlasResult judge(const Problem& p, const Device& device) {
    const ProductOptions& o = p.operation;
    for (const Layout* layout : {&p.a, &p.b, &p.c, &p.d})
        if (layout->rows < 1 || layout->columns < 1 || layout->leading < layout->rows || layout->batches < 1 ||
            layout->batches != p.d.batches || layout->batch_stride < 0 || !number(layout->type))
            return abi::blas_invalid_value;
    const std::int64_t m = o.transpose_a != 0 ? p.a.columns : p.a.rows, n = o.transpose_b != 0 ? p.b.rows : p.b.columns;
    const std::int64_t k_of_b = o.transpose_b != 0 ? p.b.columns : p.b.rows;
    if (m != p.d.rows || n != p.d.columns || p.k() != k_of_b || p.c.rows != m || p.c.columns != n)
        return abi::blas_invalid_value;
    if (p.d.batches > 1 && p.d.batch_stride < (p.d.columns - 1) * p.d.leading + p.d.rows)
        return abi::blas_invalid_value; // results upon one another
    if (p.a.type != p.b.type || (p.a.type != p.d.type && p.d.type != abi::blas_type_f32) || p.c.type != p.d.type ||
        o.scale != abi::blas_type_f32)
        return abi::blas_not_supported;
    if (o.compute != abi::blas_compute_f32 && (o.compute != abi::blas_compute_tf32 || p.a.type != abi::blas_type_f32))
        return abi::blas_not_supported;
    if (p.a.type == abi::blas_type_bf16 && device.capability < 80)
        return abi::blas_not_supported;
    switch (o.epilogue) {
    case abi::epilogue_default:
    case abi::epilogue_relu:
    case abi::epilogue_gelu:
        return abi::blas_success;
    case abi::epilogue_bias:
    case abi::epilogue_relu_bias:
    case abi::epilogue_gelu_bias:
        return o.bias == 0 || o.bias_type != p.d.type ? abi::blas_not_supported : abi::blas_success;
    default:
        return abi::blas_not_supported;
    }
}

std::optional<Problem> read(abi::BlasOperation operation, abi::BlasLayout a, abi::BlasLayout b, abi::BlasLayout c,
                            abi::BlasLayout d) {
    const ProductOptions* const o = state().operations.find(operation);
    const Layout *const left = state().layouts.find(a), *const right = state().layouts.find(b),
                        *const in = state().layouts.find(c), *const out = state().layouts.find(d);
    if (o == nullptr || left == nullptr || right == nullptr || in == nullptr || out == nullptr)
        return std::nullopt;
    return Problem{*o, *left, *right, *in, *out};
}

constexpr std::uint64_t algorithm_mark = 0x6465767120616c67u;
constexpr std::size_t workspace_wanted = std::size_t{1} << 20;

/// One matrix of a batch in f64, column after column: op(matrix).
std::vector<double> load(const std::byte* at, const Layout& layout, bool transposed, bool tf32) {
    const Number type = *number(layout.type);
    std::vector<double> values(static_cast<std::size_t>(layout.rows * layout.columns));
    for (std::int64_t j = 0; j < layout.columns; ++j)
        for (std::int64_t i = 0; i < layout.rows; ++i) {
            const double x = decode(type, at + static_cast<std::size_t>(j * layout.leading + i) * size_of(type));
            values[static_cast<std::size_t>(transposed ? i * layout.columns + j : j * layout.rows + i)] =
                tf32 ? round_to(x, 11, -126) : x;
        }
    return values;
}

double finish(double x, std::uint32_t epilogue) {
    if ((epilogue & abi::epilogue_relu) != 0)
        return std::fmax(x, 0.0);
    if ((epilogue & abi::epilogue_gelu) != 0)
        return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    return x;
}

struct Pointers {
    abi::DevicePointer a, b, c, d, workspace;
};

abi::Result compute(const Memory& memory, const Problem& p, const Pointers& at, float alpha, float beta,
                    std::size_t workspace_bytes, const std::uint32_t (&alignment)[4]) {
    const Number type = *number(p.d.type);
    const std::size_t size = size_of(type);
    const auto bytes = [&](const Layout& layout) {
        return static_cast<std::size_t>(layout.span()) * size_of(*number(layout.type));
    };
    const std::byte *const a = memory.find(at.a, bytes(p.a)), *const b = memory.find(at.b, bytes(p.b)),
                           *const c = memory.find(at.c, bytes(p.c));
    std::byte* const d = memory.find(at.d, bytes(p.d));
    const auto rows = static_cast<std::size_t>(p.d.rows), columns = static_cast<std::size_t>(p.d.columns);
    const std::byte* const bias = p.has_bias() ? memory.find(p.operation.bias, rows * size) : nullptr;
    std::byte* const workspace = workspace_bytes > 0 ? memory.find(at.workspace, workspace_bytes) : nullptr;
    if (a == nullptr || b == nullptr || c == nullptr || d == nullptr || (p.has_bias() && bias == nullptr) ||
        (workspace_bytes > 0 && workspace == nullptr))
        return abi::illegal_address;
    const abi::DevicePointer addresses[4] = {at.a, at.b, at.c, at.d};
    for (std::size_t i = 0; i < 4; ++i)
        if (addresses[i] % alignment[i] != 0)
            return abi::misaligned_address;
    if (workspace != nullptr)
        std::memset(workspace, 0xA5, workspace_bytes); // whoever else keeps something there is to see it
    const bool tf32 = p.operation.compute == abi::blas_compute_tf32;
    const auto k = static_cast<std::size_t>(p.k());
    std::vector<double> sums(rows);
    for (std::int32_t batch = 0; batch < p.d.batches; ++batch) {
        const auto of = [&](const Layout& layout) {
            return static_cast<std::size_t>(batch * layout.batch_stride) * size_of(*number(layout.type));
        };
        const std::vector<double> left = load(a + of(p.a), p.a, p.operation.transpose_a != 0, tf32),
                                  right = load(b + of(p.b), p.b, p.operation.transpose_b != 0, tf32);
        for (std::size_t j = 0; j < columns; ++j) {
            sums.assign(rows, 0);
            for (std::size_t l = 0; l < k; ++l)
                for (std::size_t i = 0; i < rows; ++i)
                    sums[i] += left[l * rows + i] * right[j * k + l];
            for (std::size_t i = 0; i < rows; ++i) {
                const std::size_t from = (j * static_cast<std::size_t>(p.c.leading) + i) * size,
                                  to = (j * static_cast<std::size_t>(p.d.leading) + i) * size;
                double x = alpha * sums[i];
                if (beta != 0)
                    x += beta * decode(type, c + of(p.c) + from);
                if (bias != nullptr)
                    x += decode(type, bias + i * size);
                encode(type, finish(x, p.operation.epilogue), d + of(p.d) + to);
            }
        }
    }
    return abi::success;
}

template <class T>
abi::BlasResult take(T& to, const void* value, std::size_t size) {
    if (value == nullptr || size != sizeof(T))
        return abi::blas_invalid_value;
    std::memcpy(&to, value, sizeof(T));
    return abi::blas_success;
}

} // namespace

extern "C" DEVQ_API std::size_t cublasLtGetVersion() noexcept;
extern "C" std::size_t cublasLtGetVersion() noexcept { return 130100; }
extern "C" DEVQ_API std::size_t cublasLtGetCudartVersion() noexcept;
extern "C" std::size_t cublasLtGetCudartVersion() noexcept { return 13000; }
extern "C" DEVQ_API const char* cublasLtGetStatusName(int status) noexcept;
extern "C" const char* cublasLtGetStatusName(int status) noexcept { return blas_status_name(status); }

DEVQ_LIBRARY(cublasLtCreate, abi::BlasHandle* handle) {
    if (call.device() == nullptr)
        return abi::blas_not_initialized;
    *handle = state().handles.add({call.device()});
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtDestroy, abi::BlasHandle handle) {
    return state().handles.remove(handle) ? abi::blas_success : abi::blas_not_initialized;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulDescCreate, abi::BlasOperation* operation, int compute_type, int scale_type) {
    ProductOptions made;
    made.compute = compute_type;
    made.scale = scale_type;
    *operation = state().operations.add(made);
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulDescDestroy, abi::BlasOperation operation) {
    return state().operations.remove(operation) ? abi::blas_success : abi::blas_invalid_value;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulDescSetAttribute, abi::BlasOperation handle, int attribute, const void* value,
             std::size_t size) {
    ProductOptions* const operation = state().operations.find(handle);
    if (operation == nullptr)
        return abi::blas_invalid_value;
    switch (attribute) {
    case abi::operation_transpose_a:
        return take(operation->transpose_a, value, size);
    case abi::operation_transpose_b:
        return take(operation->transpose_b, value, size);
    case abi::operation_epilogue:
        return take(operation->epilogue, value, size);
    case abi::operation_bias_pointer:
        return take(operation->bias, value, size);
    case abi::operation_bias_type:
        return take(operation->bias_type, value, size);
    default:
        return abi::blas_invalid_value;
    }
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatrixLayoutCreate, abi::BlasLayout* layout, int type, std::uint64_t rows, std::uint64_t columns,
             std::int64_t leading) {
    Layout made;
    made.type = type;
    made.rows = static_cast<std::int64_t>(rows);
    made.columns = static_cast<std::int64_t>(columns);
    made.leading = leading;
    *layout = state().layouts.add(made);
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatrixLayoutDestroy, abi::BlasLayout layout) {
    return state().layouts.remove(layout) ? abi::blas_success : abi::blas_invalid_value;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatrixLayoutSetAttribute, abi::BlasLayout handle, int attribute, const void* value,
             std::size_t size) {
    Layout* const layout = state().layouts.find(handle);
    if (layout == nullptr)
        return abi::blas_invalid_value;
    switch (attribute) {
    case abi::layout_batch_count:
        return take(layout->batches, value, size);
    case abi::layout_batch_stride:
        return take(layout->batch_stride, value, size);
    default:
        return abi::blas_invalid_value;
    }
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulPreferenceCreate, abi::BlasPreference* preference) {
    *preference = state().preferences.add({});
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulPreferenceDestroy, abi::BlasPreference preference) {
    return state().preferences.remove(preference) ? abi::blas_success : abi::blas_invalid_value;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmulPreferenceSetAttribute, abi::BlasPreference handle, int attribute, const void* value,
             std::size_t size) {
    Preference* const preference = state().preferences.find(handle);
    if (preference == nullptr)
        return abi::blas_invalid_value;
    switch (attribute) {
    case abi::preference_workspace:
        return take(preference->workspace, value, size);
    case abi::preference_reductions:
        return take(preference->reductions, value, size);
    case abi::preference_alignment_a:
    case abi::preference_alignment_b:
    case abi::preference_alignment_c:
    case abi::preference_alignment_d:
        return take(preference->alignment[attribute - abi::preference_alignment_a], value, size);
    default:
        return abi::blas_invalid_value;
    }
}
DEVQ_LIBRARY_END

// The first algorithm sums in parts, in a workspace, where it may do so; the second never does.
DEVQ_LIBRARY(cublasLtMatmulAlgoGetHeuristic, abi::BlasHandle handle, abi::BlasOperation operation, abi::BlasLayout a,
             abi::BlasLayout b, abi::BlasLayout c, abi::BlasLayout d, abi::BlasPreference preference_handle, int wanted,
             abi::BlasHeuristic* results, int* count) {
    const Handle* const library = state().handles.find(handle);
    const Preference* const preference = state().preferences.find(preference_handle);
    const auto problem = read(operation, a, b, c, d);
    *count = 0;
    if (library == nullptr || call.device() != library->device)
        return abi::blas_not_initialized;
    if (preference == nullptr || !problem || wanted < 1)
        return abi::blas_invalid_value;
    if (const abi::BlasResult result = judge(*problem, *library->device); result != abi::blas_success)
        return result;
    for (const std::size_t workspace : {workspace_wanted, std::size_t{0}}) {
        const bool in_parts = workspace > 0;
        if (workspace > preference->workspace || *count == wanted ||
            (in_parts && (preference->reductions & abi::reduction_in_compute_type) == 0))
            continue;
        abi::BlasHeuristic& found = results[(*count)++] = {};
        found.workspace_bytes = workspace;
        found.algorithm.data[0] = algorithm_mark;
        found.algorithm.data[1] = problem->signature();
        found.algorithm.data[2] = workspace;
        for (std::size_t i = 0; i < 4; ++i)
            found.algorithm.data[3 + i] = std::min(preference->alignment[i], 16u);
    }
    return *count > 0 ? abi::blas_success : abi::blas_not_supported;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasLtMatmul, abi::BlasHandle handle, abi::BlasOperation operation, const void* alpha, const void* a,
             abi::BlasLayout a_layout, const void* b, abi::BlasLayout b_layout, const void* beta, const void* c,
             abi::BlasLayout c_layout, void* d, abi::BlasLayout d_layout, const abi::BlasAlgorithm* algorithm,
             void* workspace, std::size_t workspace_bytes, abi::Stream stream_handle) {
    const Handle* const library = state().handles.find(handle);
    if (library == nullptr || call.device() != library->device)
        return current() != nullptr && current()->broken != abi::success ? abi::blas_execution_failed
                                                                         : abi::blas_not_initialized;
    const auto problem = read(operation, a_layout, b_layout, c_layout, d_layout);
    const auto stream = find_stream(*library->device, stream_handle);
    if (!problem || !stream || alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || d == nullptr ||
        algorithm == nullptr || algorithm->data[0] != algorithm_mark || algorithm->data[1] != problem->signature() ||
        workspace_bytes < algorithm->data[2])
        return abi::blas_invalid_value;
    if (const abi::BlasResult result = judge(*problem, *library->device); result != abi::blas_success)
        return result;
    const auto address = [](const void* pointer) { return reinterpret_cast<abi::DevicePointer>(pointer); };
    const Pointers at{address(a), address(b), address(c != nullptr ? c : d), address(d), address(workspace)};
    if (algorithm->data[2] > 0 && (at.workspace == 0 || at.workspace % 16 != 0))
        return abi::blas_invalid_value;
    std::uint32_t alignment[4];
    for (std::size_t i = 0; i < 4; ++i)
        alignment[i] = static_cast<std::uint32_t>(algorithm->data[3 + i]);
    Device* const device = library->device;
    World* const world = &call.world();
    const float scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
    const std::size_t used = algorithm->data[2];
    stream->add([=, problem = *problem]() -> abi::Result {
        if (const abi::Result fault = world->fault("kernel"); fault != abi::success)
            return fault;
        return device->broken != abi::success ? abi::success
                                              : compute(device->memory, problem, at, scale, keep, used, alignment);
    });
    return abi::blas_success;
}
DEVQ_LIBRARY_END
