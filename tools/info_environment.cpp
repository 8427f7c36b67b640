#include "info.hpp"
#include "variables.hpp"
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace devq::tools {

namespace {

struct Known {
    std::string_view name, backend; ///< backend: empty for all
};
/// Drivers' own; those of devq are in runtime/variables.hpp.
constexpr Known of_drivers[] = {
    {"OCL_ICD_VENDORS", "opencl"},    {"OCL_ICD_FILENAMES", "opencl"}, {"OPENCL_VENDOR_PATH", "opencl"},
    {"CUDA_VISIBLE_DEVICES", "cuda"}, {"CUDA_PATH", "cuda"},           {"CUDA_HOME", "cuda"},
    {"LD_LIBRARY_PATH", {}},
};

std::vector<Known> known_variables() {
    std::vector<Known> known;
    for (const detail::VariableRow& row : detail::variables)
        if (row.name != "DEVQ_BUILD_DIR") // of the build, not of a device
            known.push_back({row.name, row.backend});
    known.insert(known.end(), std::begin(of_drivers), std::end(of_drivers));
    return known;
}

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
    const std::vector<Known> known = known_variables();
    std::vector<Variable> found;
    for (const Known& variable : known)
        if (concerns(variable.backend, backend)) {
            const char* value = std::getenv(std::string(variable.name).c_str());
            found.push_back({std::string(variable.name), value ? std::optional<std::string>(value) : std::nullopt});
        }
    std::vector<Variable> others;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_known =
            std::any_of(known.begin(), known.end(), [&](const Known& variable) { return variable.name == name; });
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
