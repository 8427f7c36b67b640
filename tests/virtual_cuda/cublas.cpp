// The stand-in for libcublas.so.13: products of matrices whose addresses lie in the device's memory. Checks what the
// real one checks, and computes in f64 when the stream's command runs: the lists, too, are read only then.
#include "library_blas.hpp"

using namespace virtual_cuda;

namespace {

struct Handle {
    Device* device = nullptr;
    abi::Stream stream = nullptr;
    abi::DevicePointer workspace = 0;
    std::size_t workspace_bytes = 0;
    int math = 0;
};

Objects<Handle, abi::CublasHandle>& handles() {
    static Objects<Handle, abi::CublasHandle> all;
    return all;
}

/// The handle's, where its device is the calling thread's.
Handle* find(const LibraryCall& call, abi::CublasHandle handle) {
    Handle* const found = handles().find(handle);
    return found != nullptr && call.device() == found->device ? found : nullptr;
}

/// Column by column; `transposed`: op(matrix) is the other way round.
struct Matrices {
    abi::DevicePointer list = 0;
    Number type = Number::f32;
    std::int64_t rows = 0, columns = 0, leading = 0; ///< as stored
    bool transposed = false;

    std::size_t bytes() const {
        return rows > 0 && columns > 0 ? static_cast<std::size_t>((columns - 1) * leading + rows) * size_of(type) : 1;
    }
    std::size_t place(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(transposed ? row * leading + column : column * leading + row) * size_of(type);
    }
};

struct Problem {
    Matrices a, b, c;
    std::int64_t m = 0, n = 0, k = 0, count = 0;
    float alpha = 1, beta = 0;
    bool tf32 = false;
    abi::DevicePointer workspace = 0;
    std::size_t workspace_bytes = 0;
};

abi::Result compute(const Memory& memory, const Problem& p) {
    if (p.workspace_bytes > 0) { // whoever else keeps something there is to see it
        std::byte* const workspace = memory.find(p.workspace, p.workspace_bytes);
        if (workspace == nullptr)
            return abi::illegal_address;
        std::memset(workspace, 0xA5, p.workspace_bytes);
    }
    for (std::int64_t i = 0; i < p.count; ++i) {
        std::byte* at[3];
        const Matrices* const all[3] = {&p.a, &p.b, &p.c};
        for (std::size_t which = 0; which < 3; ++which) {
            const std::byte* const entry = memory.find(all[which]->list + static_cast<std::size_t>(i) * 8, 8);
            if (entry == nullptr)
                return abi::illegal_address;
            abi::DevicePointer address;
            std::memcpy(&address, entry, sizeof address);
            // Kernels for halves and TF32 load 16 bytes at once.
            const bool wide = all[which]->type != Number::f32 || p.tf32;
            if (address % (wide ? 16 : 4) != 0)
                return abi::misaligned_address;
            at[which] = memory.find(address, all[which]->bytes());
            if (at[which] == nullptr)
                return abi::illegal_address;
        }
        const auto element = [&](const std::byte* from, const Matrices& matrix, std::int64_t row, std::int64_t column) {
            const double x = decode(matrix.type, from + matrix.place(row, column));
            return p.tf32 ? round_to(x, 11, -126) : x;
        };
        for (std::int64_t column = 0; column < p.n; ++column)
            for (std::int64_t row = 0; row < p.m; ++row) {
                double sum = 0;
                for (std::int64_t l = 0; l < p.k; ++l)
                    sum += element(at[0], p.a, row, l) * element(at[1], p.b, l, column);
                std::byte* const to = at[2] + p.c.place(row, column);
                sum *= p.alpha;
                if (p.beta != 0)
                    sum += p.beta * decode(p.c.type, to);
                encode(p.c.type, sum, to);
            }
    }
    return abi::success;
}

} // namespace

extern "C" DEVQ_API std::size_t cublasGetCudartVersion() noexcept;
extern "C" std::size_t cublasGetCudartVersion() noexcept { return 13000; }
extern "C" DEVQ_API const char* cublasGetStatusName(int status) noexcept;
extern "C" const char* cublasGetStatusName(int status) noexcept { return blas_status_name(status); }

DEVQ_LIBRARY(cublasCreate_v2, abi::CublasHandle* handle) {
    if (call.device() == nullptr)
        return abi::blas_not_initialized;
    *handle = handles().add({call.device()});
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasDestroy_v2, abi::CublasHandle handle) {
    return handles().remove(handle) ? abi::blas_success : abi::blas_not_initialized;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasGetVersion_v2, abi::CublasHandle handle, int* version) {
    if (find(call, handle) == nullptr)
        return abi::blas_not_initialized;
    *version = 130100;
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasSetMathMode, abi::CublasHandle handle, int mode) {
    Handle* const found = find(call, handle);
    if (found == nullptr)
        return abi::blas_not_initialized;
    found->math = mode;
    return abi::blas_success;
}
DEVQ_LIBRARY_END

// As the real one: the workspace is forgotten.
DEVQ_LIBRARY(cublasSetStream_v2, abi::CublasHandle handle, abi::Stream stream) {
    Handle* const found = find(call, handle);
    if (found == nullptr)
        return abi::blas_not_initialized;
    found->stream = stream;
    found->workspace = 0;
    found->workspace_bytes = 0;
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasSetWorkspace_v2, abi::CublasHandle handle, void* workspace, std::size_t bytes) {
    Handle* const found = find(call, handle);
    if (found == nullptr)
        return abi::blas_not_initialized;
    const auto address = reinterpret_cast<abi::DevicePointer>(workspace);
    if (address % 256 != 0)
        return abi::blas_invalid_value;
    found->workspace = address;
    found->workspace_bytes = bytes;
    return abi::blas_success;
}
DEVQ_LIBRARY_END

DEVQ_LIBRARY(cublasGemmBatchedEx, abi::CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
             const void* alpha, const void* const* a, int a_type, int a_leading, const void* const* b, int b_type,
             int b_leading, const void* beta, void* const* c, int c_type, int c_leading, int count, int compute_type,
             int algorithm) {
    Handle* const library = find(call, handle);
    if (library == nullptr)
        return current() != nullptr && current()->broken != abi::success ? abi::blas_execution_failed
                                                                         : abi::blas_not_initialized;
    const auto stream = find_stream(*library->device, library->stream);
    const auto type_a = number(a_type), type_b = number(b_type), type_c = number(c_type);
    const auto one = [](int transpose) { return transpose == abi::blas_plain || transpose == abi::blas_transposed; };
    if (m < 0 || n < 0 || k < 0 || count < 0 || !one(transpose_a) || !one(transpose_b) || alpha == nullptr ||
        beta == nullptr || a == nullptr || b == nullptr || c == nullptr || !stream || algorithm != abi::blas_default)
        return abi::blas_invalid_value;
    const bool ta = transpose_a == abi::blas_transposed, tb = transpose_b == abi::blas_transposed;
    if (a_leading < std::max(1, ta ? k : m) || b_leading < std::max(1, tb ? n : k) || c_leading < std::max(1, m))
        return abi::blas_invalid_value;
    if (!type_a || !type_b || !type_c || a_type != b_type || (a_type != c_type && c_type != abi::blas_type_f32))
        return abi::blas_not_supported;
    if (compute_type != abi::blas_compute_f32 &&
        (compute_type != abi::blas_compute_tf32 || a_type != abi::blas_type_f32))
        return abi::blas_not_supported;
    if (a_type == abi::blas_type_bf16 && library->device->capability < 80)
        return abi::blas_arch_mismatch;
    // Sums of halves that may be kept in halves are not what devq promises.
    if (a_type != abi::blas_type_f32 && (library->math & abi::blas_math_full_reduction) == 0)
        return abi::blas_not_supported;
    if (library->workspace_bytes == 0 && stream->spoils_capture())
        return abi::blas_internal_error; // it would allocate one
    const auto list = [](const void* pointer) { return reinterpret_cast<abi::DevicePointer>(pointer); };
    Problem problem;
    problem.a = {list(a), *type_a, ta ? k : m, ta ? m : k, a_leading, ta};
    problem.b = {list(b), *type_b, tb ? n : k, tb ? k : n, b_leading, tb};
    problem.c = {list(c), *type_c, m, n, c_leading, false};
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.count = count;
    problem.alpha = *static_cast<const float*>(alpha);
    problem.beta = *static_cast<const float*>(beta);
    problem.tf32 = compute_type == abi::blas_compute_tf32;
    problem.workspace = library->workspace;
    problem.workspace_bytes = library->workspace_bytes;
    Device* const device = library->device;
    World* const world = &call.world();
    stream->add([=]() -> abi::Result {
        if (const abi::Result fault = world->fault("kernel"); fault != abi::success)
            return fault;
        return device->broken != abi::success ? abi::success : compute(device->memory, problem);
    });
    return abi::blas_success;
}
DEVQ_LIBRARY_END
