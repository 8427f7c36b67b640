#pragma once
/// The kernel front end: OpenCL C 1.2 text in; kernel signatures and C++ text (for the host compiler or for NVRTC) out.
/// It reads declarations and statements; expressions stay runs of tokens. Every fault in the user's text is a
/// devq::Error with code build_failed whose message carries "FILE:LINE:COLUMN: error: ..." for the user's own line.
/// Nothing here is thread-bound: calls are independent of one another.

#include <array>
#include <cstddef>
#include <cstdint>
#include <devq/api.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace devq::frontend {

enum class Space { global, constant, local, value };

/// Kind of a by-value argument's element (of a scalar, or of each component of a vector).
enum class ValueKind { signed_integer, unsigned_integer, floating, structure };

struct Parameter {
    std::string name;
    std::string type; ///< as written, typedefs resolved: "float", "const uint4", "struct shape"
    Space space = Space::value;
    bool is_const = false;                      ///< pointee is const (global/constant)
    ValueKind kind = ValueKind::signed_integer; ///< for Space::value: of the value; else of the pointee's element
    std::size_t size = 0; ///< Space::value: bytes of the value (float3: 16); pointers: bytes of the pointee (void: 0)
};

struct KernelSignature {
    std::string name;
    std::vector<Parameter> parameters;
    std::array<std::size_t, 3> required_group{0, 0, 0}; ///< reqd_work_group_size, zeros where absent
    bool uses_barrier = false;                          ///< directly or through helpers
    std::size_t local_bytes = 0;                        ///< upper estimate of the kernel's own __local variables
};

struct Options {
    std::string file_name = "kernel.cl";                      ///< how messages name the source
    std::vector<std::pair<std::string, std::string>> defines; ///< name, value
    std::vector<std::string> include_folders;                 ///< for #include, in order
    /// Includes that need no file (our own prelude); looked up before the folders.
    std::vector<std::pair<std::string, std::string_view>> embedded_includes;
    /// For Target::host alone: indices in 64 bits and plain atomics in local memory, where they do the same, so that
    /// host compilers make vectors of more loops. Columns in their messages may be too large then.
    bool host_forms = false;
};

enum class Target { host, cuda };

class Module; // a parsed program, immutable

/// More is no kernel, of one file and of all that a program includes: a front end that takes a megabyte a second must
/// not be given a disk image.
inline constexpr std::size_t largest_text = std::size_t{64} << 20;

/// Parses `source`. Throws devq::Error(build_failed).
DEVQ_API std::shared_ptr<const Module> parse(std::string_view source, const Options& options);

DEVQ_API const std::vector<KernelSignature>& signatures(const Module& module);

struct WriteOptions {
    Target target = Target::host;
    /// Host only: groups are of one work-item, known when compiling, so that barriers vanish (our own kernels on the
    /// CPU).
    bool single_item_groups = false;
    /// Host only: the exported table's symbol, so that many units can be linked into one module.
    std::string table_symbol = "devq_host_kernels";
};

/// The whole compilation unit, prelude included, with #line directives that lead back to the user's source.
/// Host: exports one `devq_host_kernel_table` (host_abi.h) named `table_symbol`. CUDA: `extern "C" __global__` kernels
/// called cuda_entry_name(name); a local-memory argument becomes its size in bytes as `unsigned` (offsets into dynamic
/// shared memory are computed by the writer's entry from the arguments in order, each 16-aligned).
DEVQ_API std::string write(const Module& module, const WriteOptions& options);

/// How the host's text begins where the program says `#pragma OPENCL FP_CONTRACT OFF`: products and sums must not be
/// fused then, which host compilers are told by an option.
inline constexpr std::string_view no_contraction = "// devq: no contraction\n";

/// How a kernel is called in the CUDA text: C++ and CUDA may have taken its own name.
inline std::string cuda_entry_name(std::string_view kernel) { return "devq_kernel_" + std::string(kernel); }

/// The preprocessed OpenCL C text with the options' includes pasted in (what an OpenCL driver is given, so that it
/// needs no include folder), with #line directives.
DEVQ_API std::string preprocessed(const Module& module);

/// A host compiler's or NVRTC's messages about a text of write(), made readable: only what concerns the user's files is
/// kept, in the user's own terms (float4, not the class that stands for it). The whole log where that leaves nothing.
DEVQ_API std::string explain_compiler_log(std::string_view log);

} // namespace devq::frontend
