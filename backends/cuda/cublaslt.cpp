#include "cublaslt.hpp"
#include "blas_matrix.hpp"
#include "library.hpp"
#include <algorithm>

namespace devq::cuda {

namespace {

using backend::MatmulDescription;
using Matrix = MatmulDescription::Matrix;

constexpr LibraryWords words{
    "cuBLASLt",
    "Install cuBLAS for this driver's version of CUDA (part of the CUDA toolkit; or `pip install "
    "nvidia-cublas`), and let DEVQ_CUBLASLT name its libcublasLt.so file where the loader does not find it. "
    "Without it devq's own kernels do the work."};

/// What the library finds at most, to be tried one after another.
constexpr int most_algorithms = 4;
/// Batches along further axes are calls of their own: so many that devq's kernel, a single one, is not better.
constexpr std::int64_t most_calls = 64;

/// Why the library is not asked at all; empty where it is.
std::string obstacle(const MatmulDescription& d) {
    if (d.a.type != d.b.type || (d.a.type != d.out.type && d.out.type != DType::f32) || blas_type(d.a.type) < 0 ||
        blas_type(d.out.type) < 0 || (d.accumulate && d.c.type != d.out.type))
        return "cuBLASLt is used for f32, f16 and bf16, all of one type or with a result of f32";
    if (d.places != 0)
        return "cuBLASLt takes no lists of addresses";
    if (d.m < 1 || d.n < 1 || d.k < 1)
        return "cuBLASLt takes no empty matrices";
    if (d.bias && d.bias_stride != 1 && d.n > 1)
        return "the bias has steps between its elements";
    if (d.epilogue == backend::Epilogue::relu && !d.relu_may_drop_nan)
        return "cuBLASLt does not say what its relu makes of NaN";
    std::int64_t calls = 1;
    for (int axis = 0; axis + 1 < d.batch_rank; ++axis)
        calls *= d.batch_sizes[static_cast<std::size_t>(axis)]; // few: what was launched before had a limit too
    if (calls > most_calls)
        return "the batches have no one distance, and are too many for calls of their own";
    for (int axis = 0; axis < d.batch_rank; ++axis)
        if (d.batch_sizes[static_cast<std::size_t>(axis)] > most_blas_size)
            return "there are more than 2^31 batches";
    return {};
}

/// Of the first element of each call's part of the matrix.
std::uint32_t alignment(const MatmulDescription& d, const Matrix& matrix) {
    std::uint64_t bits = matrix.alignment;
    for (int axis = 0; axis + 1 < d.batch_rank; ++axis)
        bits |= static_cast<std::uint64_t>(matrix.batch[static_cast<std::size_t>(axis)]) * size_of(matrix.type);
    return static_cast<std::uint32_t>(bits & (~bits + 1)); // the lowest
}

int epilogue(const MatmulDescription& d) {
    switch (d.epilogue) {
    case backend::Epilogue::relu:
        return d.bias ? abi::epilogue_relu_bias : abi::epilogue_relu;
    case backend::Epilogue::gelu_tanh:
        return d.bias ? abi::epilogue_gelu_bias : abi::epilogue_gelu;
    default:
        return d.bias ? abi::epilogue_bias : abi::epilogue_default;
    }
}

} // namespace

std::optional<Unavailable> load(CublasLt& table, int driver_version) {
    std::optional<Unavailable> why;
    const auto library = open_library(
        toolkit_candidates("DEVQ_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}, driver_version), words, why);
    if (!library)
        return why;
    SymbolFinder finder(*library);
#define DEVQ_CUBLASLT_FIND(name, symbol, older, ...)                                                                   \
    table.name = reinterpret_cast<decltype(table.name)>(finder.find(#symbol, #older));
    DEVQ_CUBLASLT_SYMBOLS(DEVQ_CUBLASLT_FIND)
#undef DEVQ_CUBLASLT_FIND
    if (auto missing = finder.missing("This cuBLASLt is too old: install that of CUDA 12 or newer."))
        return missing;
    table.file = file_of(reinterpret_cast<const void*>(table.version_number));
    const std::size_t number = table.version_number();
    table.version =
        std::to_string(number / 10000) + '.' + std::to_string(number / 100 % 100) + '.' + std::to_string(number % 100);
    return other_cuda("cuBLASLt " + table.version, table.file, table.runtime_version(), driver_version);
}

/// What is known of a description. Owns the library's descriptors.
struct LtMatmul::Plan {
    explicit Plan(std::shared_ptr<const CublasLt> of) : library(std::move(of)) {}
    ~Plan() {
        if (process_ends())
            return;
        for (const abi::BlasLayout layout : {left, right, c, out})
            if (layout != nullptr)
                library->layout_destroy(layout);
        if (operation != nullptr)
            library->operation_destroy(operation);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    /// A refused call is not expected of descriptors: what is wrong is then found by the search.
    void layout(abi::BlasLayout& made, const Matrix& matrix, const Stored& how, const MatmulDescription& d) const {
        const auto rows = static_cast<std::uint64_t>(how.rows), columns = static_cast<std::uint64_t>(how.columns);
        if (library->layout_create(&made, blas_type(matrix.type), rows, columns, how.leading) != abi::blas_success ||
            d.batch_rank == 0)
            return;
        const auto last = static_cast<std::size_t>(d.batch_rank - 1);
        const auto count = static_cast<std::int32_t>(d.batch_sizes[last]);
        const std::int64_t stride = matrix.batch[last];
        library->layout_set(made, abi::layout_batch_count, &count, sizeof count);
        library->layout_set(made, abi::layout_batch_stride, &stride, sizeof stride);
    }
    template <class T>
    void set(int attribute, const T& value) const {
        library->operation_set(operation, attribute, &value, sizeof value);
    }

    std::shared_ptr<const CublasLt> library;
    bool swapped = false;
    abi::BlasOperation operation = nullptr;
    abi::BlasLayout left = nullptr, right = nullptr, c = nullptr, out = nullptr; ///< no c: out's
    std::mutex mutex;                           ///< guards what follows, and the bias pointer in `operation`
    std::vector<abi::BlasHeuristic> algorithms; ///< the best first; none: `reason` says why
    std::string reason;
    std::size_t workspace_bytes = 0; ///< of the hungriest
};

LtMatmul::LtMatmul(std::shared_ptr<Context> context, std::shared_ptr<const CublasLt> library)
    : context_(std::move(context)), library_(std::move(library)) {
    if (const abi::BlasResult result = library_->create(&handle_); result != abi::blas_success)
        throw error(result, "cublasLtCreate");
}

LtMatmul::~LtMatmul() {
    if (context_->try_enter())
        library_->destroy(handle_);
}

Error LtMatmul::error(abi::BlasResult result, const char* call) const {
    return blas_error(*context_, "cuBLASLt " + library_->version, library_->status_name(result), result, call);
}

std::shared_ptr<LtMatmul::Plan> LtMatmul::plan(const MatmulDescription& description) {
    return plans_.get(description, [&] { return make(description); });
}

std::shared_ptr<LtMatmul::Plan> LtMatmul::make(const MatmulDescription& d) {
    auto plan = std::make_shared<Plan>(library_);
    plan->reason = obstacle(d);
    const auto found = plan->reason.empty() ? blas_product(d, plan->reason) : std::nullopt;
    if (!found)
        return plan;
    if (found->largest() > most_blas_size) {
        plan->reason = "cuBLASLt takes matrices of up to 2^31 - 1 rows and columns";
        return plan;
    }
    plan->swapped = found->swapped;
    const Matrix &left = found->swapped ? d.b : d.a, &right = found->swapped ? d.a : d.b;
    const int compute = d.compute == backend::Compute::tf32 ? abi::blas_compute_tf32 : abi::blas_compute_f32;
    if (const abi::BlasResult result = library_->operation_create(&plan->operation, compute, abi::blas_type_f32);
        result != abi::blas_success)
        throw error(result, "cublasLtMatmulDescCreate");
    plan->set<std::int32_t>(abi::operation_transpose_a, found->left.transposed);
    plan->set<std::int32_t>(abi::operation_transpose_b, found->right.transposed);
    plan->set<std::uint32_t>(abi::operation_epilogue, static_cast<std::uint32_t>(epilogue(d)));
    if (d.bias) { // the search wants to see a pointer: one that is aligned as the real one
        plan->set<std::int32_t>(abi::operation_bias_type, blas_type(d.out.type));
        plan->set<std::uintptr_t>(abi::operation_bias_pointer, d.bias_alignment);
    }
    plan->layout(plan->left, left, found->left, d);
    plan->layout(plan->right, right, found->right, d);
    plan->layout(plan->out, d.out, found->out, d);
    if (d.accumulate)
        plan->layout(plan->c, d.c, found->c, d);
    const abi::BlasLayout c = d.accumulate ? plan->c : plan->out;

    abi::BlasPreference preference = nullptr;
    if (const abi::BlasResult result = library_->preference_create(&preference); result != abi::blas_success)
        throw error(result, "cublasLtMatmulPreferenceCreate");
    const auto prefer = [&](int attribute, auto value) {
        library_->preference_set(preference, attribute, &value, sizeof value);
    };
    prefer(abi::preference_workspace, std::uint64_t{d.workspace_limit});
    // Parts of a sum are added in f32: in the storage type each addition would round.
    // Sums in no parts at all, where they are to be the same each time.
    prefer(abi::preference_reductions,
           static_cast<std::uint32_t>(d.deterministic ? abi::reduction_none : abi::reduction_in_compute_type));
    prefer(abi::preference_alignment_a, alignment(d, left));
    prefer(abi::preference_alignment_b, alignment(d, right));
    prefer(abi::preference_alignment_c, alignment(d, d.accumulate ? d.c : d.out));
    prefer(abi::preference_alignment_d, alignment(d, d.out));
    std::vector<abi::BlasHeuristic> results(most_algorithms);
    int count = 0;
    const abi::BlasResult result = library_->heuristic(handle_, plan->operation, plan->left, plan->right, c, plan->out,
                                                       preference, most_algorithms, results.data(), &count);
    library_->preference_destroy(preference);
    if (result != abi::blas_success && result != abi::blas_not_supported && result != abi::blas_invalid_value)
        throw error(result, "cublasLtMatmulAlgoGetHeuristic");
    results.resize(result == abi::blas_success ? static_cast<std::size_t>(std::max(count, 0)) : 0);
    for (const abi::BlasHeuristic& one : results)
        if (one.state == abi::blas_success && one.workspace_bytes <= d.workspace_limit)
            plan->algorithms.push_back(one);
    for (const abi::BlasHeuristic& one : plan->algorithms)
        plan->workspace_bytes = std::max(plan->workspace_bytes, one.workspace_bytes);
    if (plan->algorithms.empty())
        plan->reason = "cuBLASLt " + library_->version + " has no algorithm for these sizes, strides and types";
    return plan;
}

backend::VendorSupport LtMatmul::supports(const MatmulDescription& description) {
    const std::shared_ptr<Plan> plan = this->plan(description);
    const std::lock_guard lock(plan->mutex);
    if (plan->algorithms.empty())
        return {{}, 0, plan->reason};
    return {"cublaslt", plan->workspace_bytes, {}};
}

void LtMatmul::run(abi::Stream stream, const MatmulDescription& d, const Addresses& at) {
    const std::shared_ptr<Plan> plan = this->plan(d);
    const std::lock_guard lock(plan->mutex);
    std::array<std::int64_t, MatmulDescription::max_batch_rank> index{};
    for (bool first = true;; first = false) {
        Addresses here = at;
        for (int axis = 0; axis + 1 < d.batch_rank; ++axis) {
            const auto i = static_cast<std::size_t>(axis);
            const auto step = [&](const Matrix& matrix) {
                return static_cast<std::size_t>(index[i] * matrix.batch[i]) * size_of(matrix.type);
            };
            here.a += step(d.a);
            here.b += step(d.b);
            here.out += step(d.out);
            if (d.accumulate)
                here.c += step(d.c);
        }
        call(*plan, stream, here, first);
        int axis = d.batch_rank - 2; // the last is the library's
        while (axis >= 0 && ++index[static_cast<std::size_t>(axis)] == d.batch_sizes[static_cast<std::size_t>(axis)])
            index[static_cast<std::size_t>(axis--)] = 0;
        if (axis < 0)
            return;
    }
}

void LtMatmul::call(Plan& plan, abi::Stream stream, const Addresses& at, bool first) {
    const auto pointer = [](abi::DevicePointer address) { return reinterpret_cast<void*>(address); };
    if (at.bias != 0)
        plan.set<std::uintptr_t>(abi::operation_bias_pointer, static_cast<std::uintptr_t>(at.bias));
    void* const out = pointer(at.out);
    const bool adds = plan.c != nullptr;
    const float beta = adds ? at.beta : 0;
    abi::BlasResult result = abi::blas_not_supported;
    while (!plan.algorithms.empty()) {
        const abi::BlasHeuristic& chosen = plan.algorithms.front();
        result = library_->matmul(handle_, plan.operation, &at.alpha, pointer(plan.swapped ? at.b : at.a), plan.left,
                                  pointer(plan.swapped ? at.a : at.b), plan.right, &beta, adds ? pointer(at.c) : out,
                                  adds ? plan.c : plan.out, out, plan.out, &chosen.algorithm, pointer(at.workspace),
                                  chosen.workspace_bytes, stream);
        if (result == abi::blas_success)
            return;
        const Error why = error(result, "cublasLtMatmul");
        if (why.code() != ErrorCode::unsupported)
            throw why;
        plan.algorithms.erase(
            plan.algorithms.begin()); // the next one; where none is left, the portable path from now on
        plan.reason = why.what();
    }
    throw first ? error(result, "cublasLtMatmul")
                : Error(ErrorCode::unavailable, {}, "cuBLASLt failed behind some of the batches: " + plan.reason,
                        "Set DEVQ_PATH to portable for devq's own kernels.", "cublasLtMatmul", result);
}

} // namespace devq::cuda
