// cuBLASLt as its manual says to use it: the heuristics' first algorithm, 32 MiB of workspace, sums in f32.
#include "direct.hpp"
#include "library.hpp"

namespace devq::bench {

namespace {

using namespace cuda;

int type_of(DType type) {
    return type == DType::f32 ? abi::blas_type_f32 : type == DType::f16 ? abi::blas_type_f16 : abi::blas_type_bf16;
}

/// Descriptors of one call; given back together.
struct Descriptors {
    explicit Descriptors(const BlasLibrary& of) : library(of) {}
    ~Descriptors() {
        for (const abi::BlasLayout layout : layouts)
            if (layout != nullptr)
                library.layout_destroy(layout);
        if (operation != nullptr)
            library.operation_destroy(operation);
        if (preference != nullptr)
            library.preference_destroy(preference);
    }
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;

    const BlasLibrary& library;
    abi::BlasOperation operation = nullptr;
    abi::BlasLayout layouts[3] = {};
    abi::BlasPreference preference = nullptr;
};

} // namespace

void BlasLibrary::check(abi::BlasResult result, const char* call) const {
    if (result != abi::blas_success)
        fail(std::string(call) + ": " + status_name(result));
}

void BlasLibrary::open(const Gpu& gpu) {
    std::optional<Unavailable> why;
    const auto library =
        open_library(toolkit_candidates("DEVQ_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}, gpu.version()),
                     {"cuBLASLt", "Install cuBLAS."}, why);
    if (!library) {
        why_not = why->reason;
        return;
    }
    SymbolFinder finder(*library);
#define DEVQ_CUBLASLT_FIND(name, symbol, older, ...)                                                                   \
    name = reinterpret_cast<decltype(name)>(finder.find(#symbol, #older));
    DEVQ_CUBLASLT_SYMBOLS(DEVQ_CUBLASLT_FIND)
#undef DEVQ_CUBLASLT_FIND
    if (const auto missing = finder.missing("Install a newer one.")) {
        why_not = missing->reason;
        return;
    }
    version = std::to_string(version_number()) + " (" + file_of(reinterpret_cast<const void*>(version_number)) + ')';
    if (const abi::BlasResult result = create(&handle); result != abi::blas_success)
        why_not = "cublasLtCreate: " + std::string(status_name(result));
}

void run_product(Result& result, const Gpu& gpu, const BlasLibrary& library, const Row& row, double seconds) {
    const Block a(gpu, row.type, row.batch * row.m * row.k, 1), b(gpu, row.type, row.batch * row.k * row.n, 2),
        out(gpu, row.type, row.batch * row.m * row.n, 3), workspace(gpu, std::size_t{32} << 20);
    Descriptors call(library);
    library.check(library.operation_create(&call.operation, abi::blas_compute_f32, abi::blas_type_f32),
                  "cublasLtMatmulDescCreate");
    // Row by row: outᵀ = bᵀ · aᵀ column by column.
    const std::int64_t shapes[3][2] = {{row.n, row.k}, {row.k, row.m}, {row.n, row.m}};
    for (int i = 0; i < 3; ++i) {
        abi::BlasLayout& layout = call.layouts[i];
        const std::int64_t rows = shapes[i][0], columns = shapes[i][1], distance = rows * columns;
        const auto count = static_cast<std::int32_t>(row.batch);
        library.check(library.layout_create(&layout, type_of(row.type), static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns), rows),
                      "cublasLtMatrixLayoutCreate");
        library.check(library.layout_set(layout, abi::layout_batch_count, &count, sizeof count),
                      "cublasLtMatrixLayoutSetAttribute");
        library.check(library.layout_set(layout, abi::layout_batch_stride, &distance, sizeof distance),
                      "cublasLtMatrixLayoutSetAttribute");
    }
    const std::uint64_t bytes = workspace.bytes();
    library.check(library.preference_create(&call.preference), "cublasLtMatmulPreferenceCreate");
    library.check(library.preference_set(call.preference, abi::preference_workspace, &bytes, sizeof bytes),
                  "cublasLtMatmulPreferenceSetAttribute");
    abi::BlasHeuristic found{};
    int count = 0;
    library.check(library.heuristic(library.handle, call.operation, call.layouts[0], call.layouts[1], call.layouts[2],
                                    call.layouts[2], call.preference, 1, &found, &count),
                  "cublasLtMatmulAlgoGetHeuristic");
    if (count < 1 || found.state != abi::blas_success)
        fail("cuBLASLt has no algorithm for it");
    const float one = 1, zero = 0;
    result.path = "cublaslt";
    measure(
        result, seconds,
        [&] {
            library.check(library.matmul(library.handle, call.operation, &one, b.pointer(), call.layouts[0],
                                         a.pointer(), call.layouts[1], &zero, out.pointer(), call.layouts[2],
                                         out.pointer(), call.layouts[2], &found.algorithm, workspace.pointer(),
                                         workspace.bytes(), gpu.stream()),
                          "cublasLtMatmul");
        },
        [&] { gpu.wait(); });
    result.sum = absolute_sum(row.type, out.first(static_cast<std::size_t>(summed) * size_of(row.type)));
}

} // namespace devq::bench
