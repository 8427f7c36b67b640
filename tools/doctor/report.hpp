#pragma once
/// What doctor prints.

#include "facts.hpp"
#include "findings.hpp"
#include "python.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace devq::doctor {

struct Report {
    std::string area;    ///< "", "cuda", "opencl", "cpu", "python"
    std::string sysroot; ///< "" on this machine
    Facts facts;
    PythonFacts python; ///< of the area python
    std::vector<Finding> findings;

    /// Something keeps a device that is there from use.
    bool prevented() const;
};

void print_text(const Report& report);
nlohmann::ordered_json as_json(const Report& report);
/// Lines for a shell ("bash", "zsh", "sh" or "fish") that put PATH, LD_LIBRARY_PATH and CUDA_HOME right.
std::string environment_lines(const System& system, const Facts& facts, const std::string& shell);

} // namespace devq::doctor
