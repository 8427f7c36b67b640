#pragma once
/// devq's own kernels: one source each (kernels/NAME.cl), in the shapes that kernels/variants lists.

#include "backend.hpp"
#include <devq/dtype.hpp>
#include <devq/queue.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace devq::detail {

/// A line of kernels/variants, braces expanded.
struct VariantRow {
    std::string_view kernel_file;  ///< "matmul"
    std::string_view device_class; ///< "cpu-v4", "opencl-cpu", "gpu", ...
    std::string_view constants;    ///< "T=f16 VW=16 TM=8 TV=2"
};

/// All rows, generated from kernels/variants when devq is built.
std::span<const VariantRow> variant_rows() noexcept;
/// kernels/NAME.cl with its prelude pasted in; throws when there is none.
std::string_view builtin_source(std::string_view kernel_file);
/// What a device that reads `language` compiles for `row`; `text` is the row's kernel file with its prelude.
backend::ProgramSource variant_source(backend::SourceLanguage language, const VariantRow& row, std::string_view text);
/// The value of NAME in "NAME=VALUE ..."; empty when absent.
std::string_view constant_value(std::string_view constants, std::string_view name) noexcept;
/// The same as a number; 0 when absent or not a number.
int constant_int(std::string_view constants, std::string_view name) noexcept;

struct BuiltinKernel {
    std::shared_ptr<backend::Kernel> kernel;
    std::string_view constants; ///< lives as long as the process
    unsigned group = 1;         ///< most work-items in a group that the device can run it with (power of two)
    int vector = 1;             ///< the constants that most operations need, as numbers: VW
    int unroll = 1;             ///< UNROLL, 1 when absent
};

class BuiltinKernels;
/// What DeviceState::builtins is to be; the device makes one when it is opened.
std::shared_ptr<BuiltinKernels> make_builtin_kernels();

/// The row of `rows` for a device: of its class, with all constants of `wanted`, with LOCAL (KiB of local memory) no
/// more than it has, and VW no wider than it likes; the first such. Where every VW is too wide, the narrowest. Null:
/// none.
const VariantRow* find_variant(std::span<const VariantRow> rows, const Capabilities& capabilities,
                               std::string_view kernel_file, std::string_view wanted) noexcept;

/// The kernel `name` of kernels/`kernel_file`.cl in the variant that find_variant() picks for this queue's device
/// (`wanted` e.g. "T=f16"). Built at first use, kept by the device for as long as it lives. Thread-safe; a hit takes a
/// shared lock only. Throws unsupported when no row fits. The strings may be temporary.
const BuiltinKernel& builtin_kernel(const Queue& queue, std::string_view kernel_file, std::string_view name,
                                    std::string_view wanted);

} // namespace devq::detail
