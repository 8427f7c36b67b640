#include "info.hpp"
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace devq::tools {

namespace {

struct Known {
    std::string_view name, backend; ///< backend: empty for all
};
constexpr Known known[] = {
    {"DEVQ_DEVICE", {}},
    {"DEVQ_STRICT", {}},
    {"DEVQ_BACKEND_PATH", {}},
    {"DEVQ_VIRTUAL_DEVICES", {}},
    {"DEVQ_CACHE", {}},
    {"DEVQ_CACHE_DIR", {}},
    {"DEVQ_CPU_ISA", "cpu"},
    {"DEVQ_CXX", "cpu"},
    {"DEVQ_PROBE", "opencl"},
    {"OCL_ICD_VENDORS", "opencl"},
    {"OCL_ICD_FILENAMES", "opencl"},
    {"OPENCL_VENDOR_PATH", "opencl"},
    {"DEVQ_NVRTC", "cuda"},
    {"CUDA_VISIBLE_DEVICES", "cuda"},
    {"CUDA_PATH", "cuda"},
    {"CUDA_HOME", "cuda"},
    {"LD_LIBRARY_PATH", {}},
};

/// Families of variables that drivers read, of which only the set ones are worth a line.
struct Family {
    std::string_view prefix, backend;
};
constexpr Family families[] = {
    {"DEVQ_", {}},          {"POCL_", "opencl"},      {"OCL_ICD_", "opencl"}, {"OPENCL_", "opencl"},
    {"RUSTICL_", "opencl"}, {"CUDA_", "opencl"},      {"HIP_", "opencl"},     {"ROCR_", "opencl"},
    {"GPU_", "opencl"},     {"MESA_", "opencl"},      {"LP_", "opencl"},      {"NEO", "opencl"},
    {"ZE_", "opencl"},      {"CL_CONFIG_", "opencl"}, {"CUDA_", "cuda"},      {"NVIDIA_", "cuda"},
};

bool concerns(std::string_view of, std::string_view backend) { return of.empty() || of == backend; }

} // namespace

std::vector<Variable> variables_of(std::string_view backend) {
    std::vector<Variable> found;
    for (const Known& variable : known)
        if (concerns(variable.backend, backend)) {
            const char* value = std::getenv(variable.name.data());
            found.push_back({std::string(variable.name), value ? std::optional<std::string>(value) : std::nullopt});
        }
    std::vector<Variable> others;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_known = std::any_of(std::begin(known), std::end(known),
                                          [&](const Known& variable) { return variable.name == name; });
        const bool wanted = std::any_of(std::begin(families), std::end(families), [&](const Family& family) {
            return name.starts_with(family.prefix) && concerns(family.backend, backend);
        });
        if (!is_known && wanted && name.size() < text.size())
            others.push_back({std::string(name), std::string(text.substr(name.size() + 1))});
    }
    std::sort(others.begin(), others.end(), [](const Variable& a, const Variable& b) { return a.name < b.name; });
    found.insert(found.end(), others.begin(), others.end());
    return found;
}

} // namespace devq::tools
