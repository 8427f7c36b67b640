#pragma once
/// devq's environment variables, all of them, once: `devq info` shows them, docs/cli.md has the same table (a test
/// compares), and a name that is not here is told to whoever set it. Header only: the tools use it too.

#include <array>
#include <string_view>

namespace devq::detail {

struct VariableRow {
    std::string_view name;
    std::string_view backend; ///< whose devices it concerns; empty: all
    std::string_view values;
    std::string_view effect; ///< as Markdown
};

inline constexpr std::array<VariableRow, 21> variables{{
    {"DEVQ_DEVICE", {}, "a selector", "the selector of programs that name none"},
    {"DEVQ_STRICT",
     {},
     "`1` or `0`",
     "`1`: a fallback to a less preferred device, or one of these variables that is set wrong, is an error and not a "
     "line on stderr; `0` is the default, and what is neither is an error where a device is opened"},
    {"DEVQ_VIRTUAL_DEVICES",
     {},
     "such as `cpu=2`",
     "makes two devices, `cpu:0` and `cpu:1`, of the processors: see below"},
    {"DEVQ_BACKEND_PATH",
     {},
     "absolute folders, separated by `:`",
     "searched for backend modules after the library's own folder and `devq/` in it"},
    {"DEVQ_TIMEOUT",
     {},
     "seconds, `1` to `3600`",
     "how long a driver may take to tell its devices, and each trial of `devq info`, before devq goes on without it; "
     "`60` is the default"},
    {"DEVQ_CACHE", {}, "`1` or `0`", "`0`: nothing is kept on disk"},
    {"DEVQ_CACHE_DIR",
     {},
     "an absolute folder",
     "for built kernels (made with mode 0700); without it `XDG_CACHE_HOME/devq`, else `~/.cache/devq`"},
    {"DEVQ_PATH",
     {},
     "`portable` or `vendor`",
     "whose implementation matmul and conv2d take where the call does not say: devq's own, or the vendor's library, "
     "which "
     "then is an error where it cannot; without it the library's where there is one that can"},
    {"DEVQ_MEMORY_LIMIT",
     {},
     "bytes, such as `512M` or `8G`",
     "the most memory that devq takes of each device, cached memory included; beyond it a buffer is out of memory: "
     "[memory.md](memory.md). What is no size is an error where a device is opened"},
    {"DEVQ_MEMORY_CACHE",
     {},
     "`1` or `0`",
     "`0`: each buffer is a block of the driver's own, of just its size, so that compute-sanitizer, Oclgrind and the "
     "like find what strays out of it"},
    {"DEVQ_MEMORY_POISON",
     {},
     "`1` or `0`",
     "`1`: new buffers are filled with the byte 0xCD, which is slow and finds who reads what nobody has written"},
    {"DEVQ_DETERMINISTIC",
     {},
     "`1` or `0`",
     "`1`: the same call gives the same bits on the same device, each time: of vendors' libraries only what promises "
     "that, "
     "else devq's own kernels, which always do ([suite.md](suite.md)); `0` is the default"},
    {"DEVQ_CPU_ISA", "cpu", "`v2`, `v3` or `v4`",
     "the x86-64 level of the cpu device's kernels; without it the highest that the processor has"},
    {"DEVQ_CXX", "cpu", "a program",
     "the C++ compiler for users' kernels on the cpu device; without it the first of `c++`, `g++`, `clang++` on the "
     "PATH"},
    {"DEVQ_COMPILE_LIMIT", "cpu", "seconds", "how long that compiler may take for a program; `300` is the default"},
    {"DEVQ_CPU_FIBERS", "cpu", "`1` or `0`",
     "`1`: each work-item of a kernel with barriers runs on a fiber, which is slow, to tell a fault in splitting a "
     "kernel from one in the kernel"},
    {"DEVQ_PROBE", "opencl", "`1` or `0`",
     "`0`: OpenCL drivers are loaded without a trial in a process of their own: [opencl.md](opencl.md)"},
    {"DEVQ_NVRTC", "cuda", "a file", "the libnvrtc.so that compiles kernels for CUDA devices"},
    {"DEVQ_CUBLASLT", "cuda", "a file", "the libcublasLt.so that multiplies matrices on CUDA devices"},
    {"DEVQ_CUDNN", "cuda", "a file", "the libcudnn.so.9 that does convolutions on CUDA devices"},
    {"DEVQ_BUILD_DIR", {}, "a folder", "where `./dev` builds; no program of devq's reads it"},
}};

/// Names of devq's own tests, which nobody else reads.
inline constexpr std::string_view test_variables = "DEVQ_TEST_";

/// Null for what is no variable of devq's.
constexpr const VariableRow* find_variable(std::string_view name) noexcept {
    for (const VariableRow& row : variables)
        if (row.name == name)
            return &row;
    return nullptr;
}

} // namespace devq::detail
