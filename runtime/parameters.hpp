#pragma once
/// A kernel's signature as the front end reads it, in the public interface's words.

#include "frontend/frontend.hpp"
#include <devq/program.hpp>
#include <vector>

namespace devq::detail {

inline KernelParameter::Kind kind_of(frontend::Space space) {
    switch (space) {
    case frontend::Space::global:
        return KernelParameter::Kind::global;
    case frontend::Space::constant:
        return KernelParameter::Kind::constant;
    case frontend::Space::local:
        return KernelParameter::Kind::local;
    case frontend::Space::value:
        break;
    }
    return KernelParameter::Kind::value;
}

inline std::vector<KernelParameter> parameters_of(const frontend::KernelSignature& kernel) {
    std::vector<KernelParameter> parameters;
    for (const frontend::Parameter& p : kernel.parameters)
        parameters.push_back(
            {p.name, p.type, kind_of(p.space), p.is_const || p.space == frontend::Space::constant, p.size});
    return parameters;
}

} // namespace devq::detail
