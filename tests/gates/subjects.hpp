#pragma once
/// What the gates look at: every distinct shape of devq's own kernels, from the tables that the library itself uses.

#include "builtin.hpp"
#include "frontend/frontend.hpp"
#include <algorithm>
#include <string>
#include <vector>

namespace devq::gates {

struct Subject {
    detail::VariantRow row; ///< the first of its text
    std::string_view text;  ///< its kernel file
    std::vector<std::string> classes;

    bool same_program(const detail::VariantRow& other) const {
        return row.kernel_file == other.kernel_file && row.constants == other.constants;
    }
    /// Only these are compiled for GPUs: no GPU takes the others, whose wide vectors cost ptxas and clang the most.
    bool for_gpus() const { return std::find(classes.begin(), classes.end(), "gpu") != classes.end(); }
    std::vector<frontend::KernelSignature> kernels() const {
        frontend::Options options;
        options.file_name = std::string(row.kernel_file) + ".cl";
        options.defines = detail::variant_source(backend::SourceLanguage::opencl_c, row, text).defines;
        return frontend::signatures(*frontend::parse(text, options));
    }
};

/// In the order of kernels/variants; classes that share a shape share an entry.
inline std::vector<Subject> subjects() {
    std::vector<Subject> all;
    for (const detail::VariantRow& row : detail::variant_rows()) {
        auto found = std::find_if(all.begin(), all.end(), [&](const Subject& s) { return s.same_program(row); });
        if (found == all.end())
            found = all.insert(found, {row, detail::builtin_source(row.kernel_file), {}});
        found->classes.emplace_back(row.device_class);
    }
    return all;
}

/// The share of one of `parts` processes: what takes long lies side by side, so it is dealt out one by one.
inline bool in_part(std::size_t index, std::size_t part, std::size_t parts) { return index % parts == part; }

} // namespace devq::gates
