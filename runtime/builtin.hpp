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
/// The value of NAME in "NAME=VALUE ..."; empty when absent.
std::string_view constant_value(std::string_view constants, std::string_view name) noexcept;
int constant_int(std::string_view constants, std::string_view name);

struct BuiltinKernel {
    std::shared_ptr<backend::Kernel> kernel;
    std::string_view constants; ///< lives as long as the process
    unsigned group = 1;         ///< work-items a group that suits this device for it (power of two)
};

/// The kernel `name` of kernels/`kernel_file`.cl in the variant listed for this queue's device class whose constants
/// include `wanted` (e.g. "T=f16"); among several the first listed whose further constants match. Built at first use, kept by the
/// device. Throws unsupported when no row fits.
const BuiltinKernel& builtin_kernel(const Queue& queue, std::string_view kernel_file, std::string_view name,
                                    std::string_view wanted);

} // namespace devq::detail
