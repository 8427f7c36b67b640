#pragma once
#include "frontend.hpp"
#include "syntax.hpp"

namespace devq::frontend {

class Module {
public:
    Sources sources;
    Tokens tokens; ///< preprocessed
    Program program;
    std::vector<KernelSignature> signatures;
};

/// Checks what only the whole program shows (recursion, kernels' parameters) and describes its kernels.
std::vector<KernelSignature> make_signatures(const Sources& sources, const Program& program);

} // namespace devq::frontend
