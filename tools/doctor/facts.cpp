#include "facts.hpp"
#include <algorithm>

namespace devq::doctor {

const Module& Kernel::module(const std::string& name) const {
    static const Module none;
    const auto found = modules.find(name);
    return found == modules.end() ? none : found->second;
}

const Library& Facts::library(const std::string& soname) const {
    static const Library none;
    const auto found = libraries.find(soname);
    return found == libraries.end() ? none : found->second;
}

const Library* Facts::first_of(const std::vector<std::string>& sonames) const {
    for (const std::string& soname : sonames)
        if (const Library& one = library(soname); one.taken >= 0)
            return &one;
    return nullptr;
}

std::string Facts::variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

bool Facts::has_gpu(const std::string& vendor) const {
    return std::any_of(gpus.begin(), gpus.end(), [&](const Pci& gpu) { return gpu.vendor == vendor; });
}

Facts gather(const System& system) {
    Facts facts;
    facts.environment = system.environment();
    gather_computer(system, facts);
    gather_kernel(system, facts);
    gather_pci(system, facts);
    gather_nodes(system, facts);
    gather_libraries(system, facts);
    gather_toolkits(system, facts);
    gather_environment(system, facts);
    return facts;
}

} // namespace devq::doctor
